#include "core/load/pickle_parts.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "core/load/cut_short.h"
#include "core/load/pickle_opcodes.h"

namespace snapviewer {
namespace {

using namespace pickle;

/// Opcodes grouped by their argument, as in pickletools: a fixed number of bytes; a length of 1, 4 or 8 bytes followed by
/// that number of bytes; or lines of text.
constexpr std::string_view k_without_argument =
    "(.012N)]}aelstudboQR\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94\x97\x98";
constexpr std::string_view k_with_1_byte = "Khq\x80\x82";
constexpr std::string_view k_with_2_bytes = "M\x83";
constexpr std::string_view k_with_4_bytes = "Jjr\x84";
constexpr std::string_view k_with_8_bytes = "G\x95";
constexpr std::string_view k_with_length_of_1_byte = "CU\x8a\x8c";
constexpr std::string_view k_with_length_of_4_bytes = "BTX\x8b";
constexpr std::string_view k_with_length_of_8_bytes = "\x8d\x8e\x96";
constexpr std::string_view k_with_a_line = "FILPSVgp";
constexpr std::string_view k_with_2_lines = "ci";

}  // namespace

bool PickleParts::is_at_pickle() {
    try {
        need(2);
        return looks_like_pickle({reinterpret_cast<const char*>(at_), 2});
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;
        return false;
    }
}

bool PickleParts::skip_one() {
    if (!is_at_pickle()) return false;
    try {
        while (true) {
            start_ = at_;
            need(1);
            if (*at_ == k_stop) break;
            if (!skip_instruction()) return false;
        }
        start_ = ++at_;
        return true;
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;
        return false;
    }
}

/// Skips an instruction and its argument. Returns false if the next byte is not an opcode.
bool PickleParts::skip_instruction() {
    const auto is_one_of = [code = static_cast<char>(*at_++)](std::string_view codes) {
        return codes.find(code) != codes.npos;
    };
    if (is_one_of(k_without_argument)) return true;
    if (is_one_of(k_with_1_byte))
        skip_bytes(1);
    else if (is_one_of(k_with_2_bytes))
        skip_bytes(2);
    else if (is_one_of(k_with_4_bytes))
        skip_bytes(4);
    else if (is_one_of(k_with_8_bytes))
        skip_bytes(8);
    else if (is_one_of(k_with_length_of_1_byte))
        skip_bytes(take<std::uint8_t>());
    else if (is_one_of(k_with_length_of_4_bytes))
        skip_bytes(take<std::uint32_t>());
    else if (is_one_of(k_with_length_of_8_bytes))
        skip_bytes(take<std::uint64_t>());
    else if (is_one_of(k_with_a_line))
        skip_line();
    else if (is_one_of(k_with_2_lines)) {
        skip_line();
        skip_line();
    } else
        return false;
    return true;
}

void PickleParts::skip_bytes(std::uint64_t count) {
    while (count > static_cast<std::uint64_t>(end_ - at_)) {
        count -= static_cast<std::uint64_t>(end_ - at_);
        start_ = at_ = end_;
        need(1);
    }
    at_ += count;
}

void PickleParts::skip_line() {
    while (true) {
        need(1);
        const void* end = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
        if (end != nullptr) {
            at_ = static_cast<const std::uint8_t*>(end) + 1;
            return;
        }
        start_ = at_ = end_;
    }
}

BehindPickle look_behind(RestOfWindow rest, bool counts) {
    PickleParts parts(rest, rest.begin());
    BehindPickle behind;
    while (counts && parts.skip_one()) ++behind.pickles;
    RestOfWindow unread = parts.rest();
    behind.damage = read_to_end(unread);
    return behind;
}

void note_other_parts(Snapshot& snapshot, std::uint32_t part, std::uint32_t parts) {
    if (parts < 2) return;
    snapshot.log.add(
        ImportCode::other_snapshots,
        fmt::format("the file holds {} pickles one after another; part {} is shown, and --part opens another", parts, part),
        {}, parts - 1);
}

bool looks_like_pickle(std::string_view front) {
    if (front.size() < 2) return false;
    const auto second = static_cast<std::uint8_t>(front[1]);
    switch (static_cast<std::uint8_t>(front[0])) {
        case k_proto: return second >= 2;
        case k_mark: return second == k_dict || second == k_list;  // begin of a pickle of protocol 0
        case k_empty_dict:
        // Begin of a pickle of protocol 1.
        case k_empty_list: return second == k_binput || second == k_mark || second == k_stop;
        default: return false;
    }
}

std::size_t behind_torch_save_number(std::string_view front) {
    // A LONG1 of 80 bits, torch.save's fixed number, and the STOP at the end of its pickle.
    constexpr std::string_view k_number = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const std::size_t at = front.substr(0, k_torch_save_front).find(k_number);
    return at == front.npos ? 0 : at + k_number.size();
}

}  // namespace snapviewer
