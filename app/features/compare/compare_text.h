#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/comparison.h"

/// A comparison of two recordings, in words for the window.
namespace snapviewer {

/// "B peaks 144.0 MiB higher than A."
std::string peaks_sentence(const Comparison& comparison);
/// "3 stacks, 12 allocations", "2 sources, 5 -> 7 allocations".
std::string sums_words(std::size_t rows, const ComparedSums& sums, CompareBy by);
/// How the curves lie over each other.
std::string alignment_sentence(const Alignment& alignment, const Steps& a, const Steps& b);

/// One file of a command line.
struct ComparedFile {
    std::string path;
    std::optional<int> device;  ///< as numbered in the file; nothing for its default one
};
/// What gives the same in a shell.
std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, CompareBy by, CompareBasis basis);

}  // namespace snapviewer
