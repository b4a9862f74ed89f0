#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.h"

// The interface of libFuzzer (llvm.org/docs/LibFuzzer.html). Each target defines the first and may define the second; the
// third comes from libFuzzer or, in builds without it, from replay_main.cpp.
extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace snapviewer::fuzz {

/// Ends the program, so that the fuzzer keeps the input, where something does not hold.
void require(bool holds, const char* what);

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Opens bytes as a file of their own, as the window does. Null where they are refused; then there is a sentence that says
/// why.
std::shared_ptr<const Document> open_bytes(std::string_view bytes);

/// Asks an open file for all that a user can see of it: every picture, table and detail. What is drawn must agree with
/// itself.
void look_at_everything(const Document& document);

/// Where the bytes are a database that a fleet was written to: reads it back, twice over, and tells of it.
void look_at_fleet(std::string_view bytes);

/// The rows of all tables, but for the log of what was odd, as text.
std::string tables_text(const Document& document);

using Random = std::minstd_rand;

/// A number from 0 to limit - 1.
inline std::size_t below(Random& random, std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// A number of the kind that programs get wrong.
std::int64_t odd_number(Random& random);

/// What bytes of a kind are made of: opcodes of a pickle, words of JSON or SQL.
struct Language {
    std::vector<std::string> (*split)(std::string_view bytes);  ///< joined, they are the bytes again
    std::string (*make)(Random& random);                        ///< a new one
};

/// Changes whole words of a language and now and then single bytes; returns the new size. The body of a custom mutator.
std::size_t mutate_words(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                         const Language& language);

}  // namespace snapviewer::fuzz
