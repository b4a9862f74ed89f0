#include "app/features/compare/compare_tasks.h"

#include <filesystem>
#include <utility>

#include "app/ui/within_memory.h"
#include "core/analysis/report/comparison_report.h"
#include "core/base/context.h"
#include "core/query/database.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_compared_columns = 512;
constexpr std::uint64_t k_work_parts = 4;

ComparisonOutcome compare(const ComparisonTask& task, std::shared_ptr<Database> both) {
    DeviceAnalyses& a = task.a.analyses();
    DeviceAnalyses& b = task.b.analyses();
    auto comparison = compare_devices(a, b, task.by, task.basis);
    report_done(1, k_work_parts);
    const auto steps_a = a.steps();
    report_done(2, k_work_parts);
    const auto steps_b = b.steps();
    report_done(3, k_work_parts);
    auto stacks_a = ComparedStacks::build(a, task.by);
    auto stacks_b = ComparedStacks::build(b, task.by);
    if (both == nullptr) {
        const std::string name_b = std::filesystem::path(task.b.document->path).filename().string();
        both = value_or_throw(join_databases(*task.a.document->database, *task.b.document->database, name_b, task.b.index));
    }
    Alignment alignment = align_steps(*steps_a, *steps_b);
    AlignedCurves curves = align_curves(a.timeline(), b.timeline(), alignment, k_compared_columns);
    std::vector<std::string> limits = comparison_limits(a, b, comparison);
    return std::make_shared<const ShownComparison>(
        ShownComparison{task, std::move(comparison), steps_a, steps_b, std::move(alignment), std::move(curves),
                        std::move(stacks_a), std::move(stacks_b), std::move(both), std::move(limits)});
}

}  // namespace

Job<OtherFileOutcome>::Work make_other_opening_job(std::string path) {
    return [path = std::move(path)](Progress& progress) {
        return within_memory<OtherFileOutcome>([&]() -> OtherFileOutcome {
            auto document = open_document(path, {.mesh = false}, progress);
            if (!document) return document.error();
            if ((*document)->devices.empty())
                return Error{ErrorCode::bad_file, "holds no allocations over time to compare", {}, {}};
            CharacterSet characters = characters_of(**document);
            return std::make_shared<const OtherFile>(OtherFile{std::move(*document), std::move(characters)});
        });
    };
}

Job<ComparisonOutcome>::Work make_comparing_job(ComparisonTask task, std::shared_ptr<Database> both) {
    return [task = std::move(task), both = std::move(both)](Progress&) {
        return within_memory<ComparisonOutcome>(task.read_bytes(), [&] { return compare(task, both); });
    };
}

}  // namespace snapviewer
