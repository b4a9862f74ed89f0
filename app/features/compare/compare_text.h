#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/compare/comparison.h"

/// Texts about a comparison of two recordings for the window.
namespace snapviewer {

/// A sentence that compares the peaks, such as "B peaks 144.0 MiB higher than A."
std::string peaks_sentence(const Comparison& comparison);
/// Number of rows and their sums, such as "3 stacks, 12 allocations" or "2 sources, 5 -> 7 allocations".
std::string sums_words(std::size_t rows, const ComparedSums& sums, CompareBy by);
/// A sentence about how the curves of A and B are aligned.
std::string alignment_sentence(const Alignment& alignment, const Steps& a, const Steps& b);

/// A file argument of the `compare` command line.
struct ComparedFile {
    std::string path;
    std::optional<int> device;  ///< number of the device in the file; nullopt for the default device
};
/// The shell command that prints the same comparison.
std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, CompareBy by, CompareBasis basis);

}  // namespace snapviewer
