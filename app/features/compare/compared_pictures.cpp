#include "app/features/compare/compared_pictures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "app/ui/sandboxed.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"

namespace snapviewer {
namespace {

/// Number of distinct positions in a step of A: fine enough for the closest zoom, even if B has many steps for one step of
/// A.
double parts_of_a_step(const Timeline& a, const Timeline& b) {
    constexpr double k_min_parts = 1024;
    const double steps_a = static_cast<double>(std::max<std::uint64_t>(a.step_count(), 1));
    return std::exp2(std::ceil(std::log2(k_min_parts * std::max(1.0, static_cast<double>(b.step_count()) / steps_a))));
}

/// Colours of B's stacks. A stack that A also has gets its colour in A.
std::vector<std::uint32_t> colours_like_as(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b) {
    const auto lines_a = a.stack_lines();
    const auto lines_b = b.stack_lines();
    const std::vector<std::uint32_t> colours_a = mesh::stack_colours(a.snapshot());
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> colour_of_key;
    for (std::uint32_t i = 0; i + 1 < colours_a.size(); ++i)
        colour_of_key.try_emplace(lines_a->key(StackId{i}), colours_a[i]);
    std::vector<std::uint32_t> colours = mesh::stack_colours(b.snapshot());
    for (std::uint32_t i = 0; i + 1 < colours.size(); ++i) {
        if (const auto known = colour_of_key.find(lines_b->key(StackId{i})); known != colour_of_key.end())
            colours[i] = known->second;
    }
    return colours;
}

ComparedPictureOutcome picture_of(std::shared_ptr<const ShownComparison> shown, bool with_kinds) {
    findings::DeviceAnalyses& b = shown->task.b.analyses();
    std::shared_ptr<const kinds::Kinds> kinds;
    if (with_kinds) kinds = b.kinds();
    mesh::Mesh mesh = mesh::build_mesh(b.timeline());
    auto colours = colours_like_as(shown->task.a.analyses(), b);
    return std::make_shared<const ComparedPicture>(std::move(shown), std::move(mesh), std::move(kinds), std::move(colours));
}

}  // namespace

ComparedPicture::ComparedPicture(std::shared_ptr<const ShownComparison> shown, mesh::Mesh mesh,
                                 std::shared_ptr<const kinds::Kinds> kinds, std::vector<std::uint32_t> stack_colours_of_b)
    : shown_(std::move(shown)),
      mesh_(std::make_shared<const mesh::Mesh>(std::move(mesh))),
      kinds_(std::move(kinds)),
      stack_colours_of_b_(std::move(stack_colours_of_b)),
      axis_(shown_->alignment, timeline_a().step_count(), timeline_b().step_count()),
      parts_(parts_of_a_step(timeline_a(), timeline_b())) {
    const double begin = axis_.place_of_b(0);
    places_.reserve(tick_steps().size());
    for (const std::uint64_t step : tick_steps())
        places_.push_back(std::llround((axis_.place_of_b(static_cast<double>(step)) - begin) * parts_));
}

/// The steps of B's ticks. If the file contains the polygons of its allocations, the ticks are those of the mesh, otherwise
/// those of the timeline.
std::span<const std::uint64_t> ComparedPicture::tick_steps() const {
    return render::TimelineTables::of(timeline_b(), *mesh_).steps;
}

render::TimelineTables ComparedPicture::tables() const {
    return {tick_steps(), places_, timeline_b().trace().allocations.size_bytes};
}

View ComparedPicture::view_of_b(const View& shared, double later_steps) const {
    const double begin = axis_.place_of_b(0) + later_steps;
    return {(shared.x_begin - begin) * parts_, (shared.x_end - begin) * parts_, shared.y_begin, shared.y_end};
}

std::optional<PlacedAllocation> ComparedPicture::pick_b(double x_begin, double x_end, double offset_bytes,
                                                        double later_steps) const {
    const Timeline& timeline = timeline_b();
    const double first = axis_.step_of_b(x_begin - later_steps);
    const double last = axis_.step_of_b(x_end - later_steps);
    const double middle = std::midpoint(first, last);
    if (offset_bytes < 0 || middle < 0 || middle >= static_cast<double>(timeline.step_count())) return std::nullopt;
    if (!mesh_->index) return timeline.pick(Axis::steps, middle, offset_bytes);
    const std::uint32_t tick = mesh::shown_tick(timeline, *mesh_, Axis::steps, std::max(first, 0.0), std::max(last, 0.0));
    return mesh_->index->find(timeline.trace().allocations.size_bytes, tick, 0, static_cast<std::uint64_t>(offset_bytes));
}

ViewLimits ComparedPicture::limits(const compare::SharedAxis& moved) const {
    const double finest = std::min(1.0, 1024 / parts_);
    ViewLimits limits;
    limits.x_end = moved.end() - moved.begin();
    limits.y_end = static_cast<double>(std::max<std::uint64_t>({timeline_a().peak_bytes(), timeline_b().peak_bytes(), 1}));
    limits.min_width *= finest;
    return limits;
}

Job<ComparedPictureOutcome>::Work make_pictures_job(std::shared_ptr<const ShownComparison> shown, bool with_kinds) {
    return [shown = std::move(shown), with_kinds](Progress&) {
        return within_memory<ComparedPictureOutcome>(shown->task.read_bytes(),
                                                     [&] { return picture_of(shown, with_kinds); });
    };
}

Job<compare::AlignedCurves>::Work make_curves_job(std::shared_ptr<const ShownComparison> shown, double later_steps) {
    return [shown = std::move(shown), later_steps](Progress&) {
        const Timeline& a = shown->task.a.analyses().timeline();
        const Timeline& b = shown->task.b.analyses().timeline();
        return compare::align_curves(a, b, shown->alignment, shown->curves.a.size(), later_steps);
    };
}

}  // namespace snapviewer
