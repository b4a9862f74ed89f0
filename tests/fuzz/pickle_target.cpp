// Opens pickles of all protocols, from Python's writer and PyTorch's C++ writer. Mutations change whole opcodes.
#include <algorithm>
#include <array>

#include "core/load/pytorch/pickle.h"
#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

using namespace pytorch::pickle;

constexpr std::size_t k_line = 0x100;     // an argument up to the end of the line
constexpr std::size_t k_counted = 0x200;  // the low byte says how many bytes of length come before the argument

/// Returns the size of the argument of an opcode.
std::size_t argument(std::uint8_t opcode) {
    switch (opcode) {
        case k_proto:
        case k_binint1:
        case k_binget:
        case k_binput: return 1;
        case k_binint2: return 2;
        case k_binint:
        case k_long_binget:
        case k_long_binput: return 4;
        case k_binfloat:
        case k_frame: return 8;
        case k_int:
        case k_long:
        case k_float:
        case k_unicode:
        case k_get:
        case k_put: return k_line;
        case k_long1:
        case k_short_binunicode: return k_counted + 1;
        case k_long4:
        case k_binunicode: return k_counted + 4;
        case k_binunicode8: return k_counted + 8;
        default: return 0;
    }
}

std::size_t instruction_size(std::string_view bytes) {
    const std::size_t kind = argument(static_cast<std::uint8_t>(bytes[0]));
    if (kind == k_line) return std::min(bytes.size(), bytes.find('\n') == std::string_view::npos ? 1 : bytes.find('\n') + 1);
    if (kind < k_counted) return std::min(bytes.size(), 1 + kind);
    const std::size_t width = kind - k_counted;
    std::size_t length = 0;
    for (std::size_t i = 0; i < width && 1 + i < bytes.size(); ++i)
        length |= std::size_t{static_cast<unsigned char>(bytes[1 + i])} << (8 * i);
    return std::min(length, bytes.size() - std::min(bytes.size(), 1 + width)) + std::min(bytes.size(), 1 + width);
}

std::vector<std::string> split_instructions(std::string_view bytes) {
    std::vector<std::string> instructions;
    while (!bytes.empty()) {
        const std::size_t size = instruction_size(bytes);
        instructions.emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return instructions;
}

std::string little(std::uint64_t value, std::size_t width) {
    std::string bytes;
    for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

std::string make_text(Random& random) {
    constexpr std::array k_words = {"action",
                                    "alloc",
                                    "free",
                                    "free_requested",
                                    "free_completed",
                                    "segment_alloc",
                                    "segment_free",
                                    "segment_map",
                                    "segment_unmap",
                                    "snapshot",
                                    "oom",
                                    "annotate",
                                    "addr",
                                    "size",
                                    "stream",
                                    "time_us",
                                    "frames",
                                    "filename",
                                    "line",
                                    "name",
                                    "segments",
                                    "device_traces",
                                    "annotations",
                                    "allocator_settings",
                                    "blocks",
                                    "state",
                                    "address",
                                    "total_size",
                                    "device",
                                    "segment_pool_id",
                                    "pool_id",
                                    "user_metadata",
                                    "compile_context",
                                    "active_allocated",
                                    "inactive",
                                    "requested_size",
                                    "is_expandable",
                                    "allocated_size",
                                    "active_size",
                                    "segment_type",
                                    "stage",
                                    "START",
                                    "END",
                                    "external_annotations",
                                    "device_free",
                                    "category",
                                    "fx_node_name",
                                    "forward_frames",
                                    "",
                                    "\xff\xfe"};
    const std::string word = k_words[below(random, k_words.size())];
    return std::string(1, static_cast<char>(k_short_binunicode)) + static_cast<char>(word.size()) + word;
}

std::string make_instruction(Random& random) {
    constexpr std::array<std::uint8_t, 24> k_plain = {
        k_mark,       k_stop,       k_pop,     k_pop_mark, k_dup,         k_none,    k_newtrue, k_newfalse,
        k_empty_list, k_append,     k_appends, k_list,     k_empty_tuple, k_tuple1,  k_tuple2,  k_tuple3,
        k_tuple,      k_empty_dict, k_setitem, k_setitems, k_dict,        k_memoize, 'R',       'c'};
    const auto odd = static_cast<std::uint64_t>(odd_number(random));
    const auto opcode = [](std::uint8_t code) { return std::string(1, static_cast<char>(code)); };
    switch (below(random, 8)) {
        case 0: return make_text(random);
        case 1: return opcode(k_long1) + '\x08' + little(odd, 8);
        case 2: return opcode(k_long1) + '\x09' + little(odd, 8) + '\0';
        case 3: return opcode(k_binint) + little(odd, 4);
        case 4: return opcode(below(random, 2) == 0 ? k_binget : k_binput) + static_cast<char>(below(random, 64));
        case 5: return opcode(k_binfloat) + little(odd, 8);
        default: return opcode(k_plain[below(random, k_plain.size())]);
    }
}

}  // namespace
}  // namespace snapviewer::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    return mutate_words(data, size, max_size, seed, {split_instructions, make_instruction});
}
