#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.h"

// The interface of libFuzzer (llvm.org/docs/LibFuzzer.html). Each target defines LLVMFuzzerTestOneInput and may define
// LLVMFuzzerCustomMutator. LLVMFuzzerMutate comes from libFuzzer or, in builds without it, from replay_main.cpp.
extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace snapviewer::fuzz {

/// Ends the program if `holds` is false, so that the fuzzer keeps the input. `what` is the broken promise.
void require(bool holds, const char* what);

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Opens bytes as a file, as the window does. Returns null if the file is refused, and requires that the error has a
/// message.
std::shared_ptr<const Document> open_bytes(std::string_view bytes);

/// Computes everything that a user can see of a file: pictures, tables and details. Requires that pictures agree with one
/// another.
void look_at_everything(const Document& document);

/// If the bytes are a database of a fleet, reads it twice and reports it.
void look_at_fleet(std::string_view bytes);

/// Returns the rows of all tables except import_log as text.
std::string tables_text(const Document& document);

using Random = std::minstd_rand;

/// Returns a number from 0 to limit - 1.
inline std::size_t below(Random& random, std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// Returns a number that programs often handle incorrectly, such as a power of two or -1.
std::int64_t odd_number(Random& random);

/// The words of a format: opcodes of a pickle, words of JSON or SQL.
struct Language {
    std::vector<std::string> (*split)(std::string_view bytes);  ///< Splits bytes into words whose concatenation is `bytes`
    std::string (*make)(Random& random);                        ///< Makes a new word
};

/// Changes whole words, and sometimes single bytes, of `data`. Returns the new size. The body of a custom mutator.
std::size_t mutate_words(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                         const Language& language);

}  // namespace snapviewer::fuzz
