#include "app/jobs/compare_tasks.h"

#include <utility>

#include "app/jobs/within_memory.h"
#include "app/text/compare_text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_columns = 512;
constexpr std::uint64_t k_parts = 4;

ComparisonOutcome compare(const ComparisonTask& task, Progress& progress) {
    DeviceAnalyses& a = task.a.analyses();
    DeviceAnalyses& b = task.b.analyses();
    auto comparison = compare_devices(a, b, task.by, task.basis, &progress);
    if (!comparison) return comparison.error();
    progress.update(1, k_parts);
    const auto steps_a = a.steps(&progress);
    if (!steps_a) return steps_a.error();
    progress.update(2, k_parts);
    const auto steps_b = b.steps(&progress);
    if (!steps_b) return steps_b.error();
    progress.update(3, k_parts);
    const auto lines = a.stack_lines(&progress);
    if (!lines) return lines.error();
    auto stacks = ComparedStacks::build(a.timeline(), **lines, task.by, &progress);
    if (!stacks) return stacks.error();
    Alignment alignment = align_steps(**steps_a, **steps_b);
    AlignedCurves curves = align_curves(a.timeline(), b.timeline(), alignment, k_columns);
    std::vector<std::string> limits = comparison_limits(a, b, *comparison);
    return std::make_shared<const ShownComparison>(ShownComparison{task, std::move(*comparison), *steps_a, *steps_b,
                                                                   std::move(alignment), std::move(curves),
                                                                   std::move(*stacks), std::move(limits)});
}

}  // namespace

Job<OtherFileOutcome>::Work opening_other(std::string path) {
    return [path = std::move(path)](Progress& progress) {
        return within_memory<OtherFileOutcome>([&]() -> OtherFileOutcome {
            auto document = open_document(path, {.mesh = false}, progress);
            if (!document) return document.error();
            if ((*document)->devices.empty())
                return Error{ErrorCode::bad_file, "holds no allocations over time that could be compared", {}, {}};
            CharacterSet characters = characters_of(**document);
            return std::make_shared<const OtherFile>(OtherFile{std::move(*document), std::move(characters)});
        });
    };
}

Job<ComparisonOutcome>::Work comparing(ComparisonTask task) {
    return [task = std::move(task)](Progress& progress) {
        return within_memory<ComparisonOutcome>([&] { return compare(task, progress); });
    };
}

}  // namespace snapviewer
