// Opens snapshots and memory timelines in JSON. Mutations change whole JSON words.
#include <array>

#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

std::size_t json_word_size(std::string_view text) {
    if (text[0] == '"') {
        for (std::size_t i = 1; i < text.size(); ++i) {
            if (text[i] == '"') return i + 1;
            if (text[i] == '\\') ++i;
        }
        return text.size();
    }
    const std::size_t end = text.find_first_of("[]{},:\" \n");
    return end == 0 ? 1 : std::min(end, text.size());
}

std::vector<std::string> split_json(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t size = json_word_size(text);
        words.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return words;
}

std::string make_json(Random& random) {
    constexpr std::array k_words = {"[",
                                    "]",
                                    "{",
                                    "}",
                                    ",",
                                    ":",
                                    "null",
                                    "true",
                                    "false",
                                    "-0",
                                    "1e999",
                                    "1e-999",
                                    "0.1",
                                    "18446744073709551616",
                                    "[]",
                                    "{}",
                                    "\"\"",
                                    "\"\\ud800\"",
                                    "\"\\u0000\"",
                                    "\"action\":",
                                    "\"alloc\"",
                                    "\"free_completed\"",
                                    "\"free_requested\"",
                                    "\"oom\"",
                                    "\"addr\":",
                                    "\"size\":",
                                    "\"stream\":",
                                    "\"time_us\":",
                                    "\"frames\":",
                                    "\"filename\":",
                                    "\"line\":",
                                    "\"name\":",
                                    "\"segments\":",
                                    "\"device_traces\":",
                                    "\"annotations\":",
                                    "\"allocator_settings\":",
                                    "\"blocks\":",
                                    "\"state\":",
                                    "\"user_metadata\":",
                                    "\"segment_pool_id\":",
                                    "[0,0]",
                                    "\"segment_alloc\"",
                                    "\"total_size\":"};
    if (below(random, 4) == 0) return std::to_string(odd_number(random));
    return k_words[below(random, k_words.size())];
}

}  // namespace
}  // namespace snapviewer::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    return mutate_words(data, size, max_size, seed, {split_json, make_json});
}
