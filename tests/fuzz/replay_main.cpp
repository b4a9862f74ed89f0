// Runs a target without libFuzzer: on each given file, on each file of the given folders, and on N mutations of each. The
// mutations are the same in every run.
//
//     fuzz_pickle [--mutations N] FILE|FOLDER...
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/fuzzing.h"

extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t max_size, unsigned seed);

namespace snapviewer::fuzz {
namespace {

constexpr std::size_t k_room = 64;  // that mutations may add

std::vector<std::filesystem::path> files_of(const char* argument) {
    if (!std::filesystem::is_directory(argument)) return {argument};
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void mutate(std::vector<std::uint8_t>& bytes, unsigned seed) {
    const std::size_t size = bytes.size();
    bytes.resize(2 * size + k_room);
    const std::size_t changed = LLVMFuzzerCustomMutator != nullptr
                                    ? LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), seed)
                                    : LLVMFuzzerMutate(bytes.data(), size, bytes.size());
    bytes.resize(changed);
}

int replay(int count, char** arguments) {
    unsigned mutations = 0, inputs = 0;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--mutations") == 0 && i + 1 < count) {
            mutations = static_cast<unsigned>(std::stoul(arguments[++i]));
            continue;
        }
        for (const std::filesystem::path& path : files_of(arguments[i])) {
            for (unsigned seed = 0; seed <= mutations; ++seed, ++inputs) {
                // Printed before each input, because a crash gives no chance to print it.
                std::fprintf(stderr, "%s, mutation %u\n", path.filename().c_str(), seed);
                std::vector<std::uint8_t> bytes = bytes_of(path);
                if (seed > 0) mutate(bytes, seed);
                LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
            }
        }
    }
    std::printf("%u inputs\n", inputs);
    return inputs == 0 ? 1 : 0;
}

}  // namespace
}  // namespace snapviewer::fuzz

/// Changes, removes or inserts one byte.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
    using snapviewer::fuzz::below;
    static snapviewer::fuzz::Random random(1);
    const std::size_t at = below(random, size + 1);
    const auto value = static_cast<std::uint8_t>(below(random, 256));
    if (at < size && below(random, 3) != 0) {
        data[at] = value;
        return size;
    }
    if (at < size && below(random, 2) == 0) {
        std::memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    }
    if (size == max_size) return size;
    std::memmove(data + at + 1, data + at, size - at);
    data[at] = value;
    return size + 1;
}

int main(int count, char** arguments) { return snapviewer::fuzz::replay(count, arguments); }
