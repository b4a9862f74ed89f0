#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/characters.h"
#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/curves.h"
#include "core/base/job.h"
#include "core/document/document.h"

/// Background work of the comparison window.
namespace snapviewer {

/// The opened file B of a comparison, without its timelines.
struct OtherFile {
    std::shared_ptr<const Document> document;
    CharacterSet characters;  ///< the characters that its texts need
};

/// A device of an open file.
struct OpenDevice {
    std::shared_ptr<const Document> document;
    std::size_t index = 0;
    bool operator==(const OpenDevice&) const = default;
    DeviceAnalyses& analyses() const { return document->analyses->device(index); }
};

/// Inputs and options of a comparison.
struct ComparisonTask {
    OpenDevice a, b;
    CompareBy by = CompareBy::source;
    CompareBasis basis = CompareBasis::all;
    bool operator==(const ComparisonTask&) const = default;
    std::uint64_t read_bytes() const { return a.document->snapshot->read_bytes + b.document->snapshot->read_bytes; }
};

/// Results of a comparison, as the window shows them. Immutable.
struct ShownComparison {
    ComparisonTask task;  ///< inputs of the comparison; keeps the documents alive that the other fields refer to
    Comparison comparison;
    std::shared_ptr<const Steps> steps_a, steps_b;  ///< keep the data alive that `alignment` refers to
    Alignment alignment;
    AlignedCurves curves;
    ComparedStacks stacks_a, stacks_b;  ///< totals by stack of the whole recordings A and B
    std::shared_ptr<Database> both;     ///< one database connection with the tables of A and B
    std::vector<std::string> limits;    ///< warnings about the comparison, see comparison_limits()
};

using OtherFileOutcome = Result<std::shared_ptr<const OtherFile>>;
using ComparisonOutcome = Result<std::shared_ptr<const ShownComparison>>;

/// The work that opens file B. Takes as long as opening it on the command line.
Job<OtherFileOutcome>::Work make_other_opening_job(std::string path);
/// The work that compares two devices. Half a second for two recordings of a million events each, most of it to detect the
/// training steps. Pass ShownComparison::both of an earlier comparison of the same devices as `both` to reuse that database;
/// null creates a new one.
Job<ComparisonOutcome>::Work make_comparing_job(ComparisonTask task, std::shared_ptr<Database> both);

}  // namespace snapviewer
