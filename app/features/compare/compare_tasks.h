#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/characters.h"
#include "core/analysis/aligned_curves.h"
#include "core/analysis/comparison.h"
#include "core/base/job.h"
#include "core/document/document.h"

/// What the window of a comparison has done on threads of their own.
namespace snapviewer {

/// A file that another one is compared with: without pictures.
struct OtherFile {
    std::shared_ptr<const Document> document;
    CharacterSet characters;  ///< of what it can show
};

/// One device of an open file.
struct OpenDevice {
    std::shared_ptr<const Document> document;
    std::size_t index = 0;
    bool operator==(const OpenDevice&) const = default;
    DeviceAnalyses& analyses() const { return document->analyses->device(index); }
};

/// What is to be compared.
struct ComparisonTask {
    OpenDevice a, b;
    CompareBy by = CompareBy::source;
    CompareBasis basis = CompareBasis::all;
    bool operator==(const ComparisonTask&) const = default;
    std::uint64_t read_bytes() const { return a.document->snapshot->read_bytes + b.document->snapshot->read_bytes; }
};

/// What the window shows of it. Immutable.
struct ShownComparison {
    ComparisonTask task;  ///< keeps what the rest refers to
    Comparison comparison;
    std::shared_ptr<const Steps> steps_a, steps_b;  ///< keep what `alignment` refers to
    Alignment alignment;
    AlignedCurves curves;
    ComparedStacks stacks_a, stacks_b;  ///< of the whole recordings
    std::shared_ptr<Database> both;     ///< A's tables and B's in one connection
    std::vector<std::string> limits;    ///< see comparison_limits()
};

using OtherFileOutcome = Result<std::shared_ptr<const OtherFile>>;
using ComparisonOutcome = Result<std::shared_ptr<const ShownComparison>>;

/// Opens the other file. Takes as long as opening it for the command line.
Job<OtherFileOutcome>::Work make_other_opening_job(std::string path);
/// Half a second for two recordings of a million events each, most of it for telling training steps.
/// `both` is the ShownComparison::both of a comparison of the same devices; without it, it is made.
Job<ComparisonOutcome>::Work make_comparing_job(ComparisonTask task, std::shared_ptr<Database> both);

}  // namespace snapviewer
