#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "tests/fuzz/fuzzing.h"

namespace snapviewer::fuzz {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t k_max_stretch = 32;  // of words that are taken out or repeated at once

void change_bytes(std::string& word) {
    const std::size_t size = word.size();
    word.resize(size + 8);
    word.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(word.data()), size, word.size()));
}

Words::iterator place(Words& words, std::size_t index) { return words.begin() + static_cast<std::ptrdiff_t>(index); }

void edit(Words& words, Random& random, const Language& language) {
    const std::size_t at = below(random, words.size());
    const std::size_t end = at + 1 + below(random, std::min(k_max_stretch, words.size() - at));
    switch (below(random, 7)) {
        case 0: words.erase(place(words, at), place(words, end)); break;
        case 1: {
            const Words copy(place(words, at), place(words, end));
            words.insert(place(words, below(random, words.size() + 1)), copy.begin(), copy.end());
            break;
        }
        case 2: std::swap(words[at], words[below(random, words.size())]); break;
        case 3: words[at] = words[below(random, words.size())]; break;
        case 4: words[at] = language.make(random); break;
        case 5: words.insert(place(words, at), language.make(random)); break;
        case 6: change_bytes(words[at]); break;
    }
}

}  // namespace

std::int64_t odd_number(Random& random) {
    constexpr std::int64_t k_max = std::numeric_limits<std::int64_t>::max(),
                           k_min = std::numeric_limits<std::int64_t>::min();
    constexpr std::array<std::int64_t, 20> k_odd = {0,
                                                    1,
                                                    -1,
                                                    2,
                                                    127,
                                                    128,
                                                    255,
                                                    256,
                                                    65535,
                                                    65536,
                                                    0x7fffffff,
                                                    0x80000000,
                                                    std::int64_t{1} << 40,
                                                    0xffffffff,
                                                    k_max,
                                                    k_max - 1,
                                                    k_min,
                                                    k_min + 1,
                                                    std::int64_t{1} << 53,
                                                    std::int64_t{1} << 61};
    return k_odd[below(random, k_odd.size())];
}

std::size_t mutate_words(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                         const Language& language) {
    Random random(seed);
    if (below(random, 4) == 0) return LLVMFuzzerMutate(data, size, max_size);
    Words words = language.split(as_text(data, size));
    for (std::size_t edits = 1 + below(random, 4); edits > 0; --edits) {
        if (words.empty()) words.push_back(language.make(random));
        edit(words, random, language);
    }
    std::size_t written = 0;
    for (const std::string& word : words) {
        if (word.size() > max_size - written) break;
        std::memcpy(data + written, word.data(), word.size());
        written += word.size();
    }
    return written;
}

}  // namespace snapviewer::fuzz
