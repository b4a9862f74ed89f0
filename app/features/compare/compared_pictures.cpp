#include "app/features/compare/compared_pictures.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "app/features/timeline/colouring.h"
#include "core/base/hash.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"

namespace snapviewer::compare {
namespace {

/// Time per frame for uploading B to the GPU. Frames during the upload take this much longer.
constexpr auto k_sending_b_per_frame = std::chrono::milliseconds(8);

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

/// Computes the timeline of B. Takes as long as it did when B was opened alone.
std::shared_ptr<const ComparedPicture> picture_of(std::shared_ptr<const ShownComparison> shown, bool with_kinds) {
    findings::DeviceAnalyses& b = shown->input.b.analyses();
    std::shared_ptr<const kinds::Kinds> kinds;
    if (with_kinds) kinds = b.kinds();
    mesh::Mesh mesh = mesh::build_mesh(b.timeline());
    auto colours = colours_like_as(shown->input.a.analyses(), b);
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

View ComparedPicture::view_of_b(const View& shared) const {
    const double begin = axis_.place_of_b(0);
    return {(shared.x_begin - begin) * parts_, (shared.x_end - begin) * parts_, shared.y_begin, shared.y_end};
}

std::optional<PlacedAllocation> ComparedPicture::pick_b(double x_begin, double x_end, double offset_bytes) const {
    const Timeline& timeline = timeline_b();
    const double first = axis_.step_of_b(x_begin);
    const double last = axis_.step_of_b(x_end);
    const double middle = std::midpoint(first, last);
    if (offset_bytes < 0 || middle < 0 || middle >= static_cast<double>(timeline.step_count())) return std::nullopt;
    if (!mesh_->index) return timeline.pick(Axis::steps, middle, offset_bytes);
    const std::uint32_t tick = mesh::shown_tick(timeline, *mesh_, Axis::steps, std::max(first, 0.0), std::max(last, 0.0));
    return mesh_->index->find(timeline.trace().allocations.size_bytes, tick, 0, static_cast<std::uint64_t>(offset_bytes));
}

ViewLimits ComparedPicture::limits() const {
    const double finest = std::min(1.0, 1024 / parts_);
    ViewLimits limits;
    limits.x_end = axis_.end() - axis_.begin();
    limits.y_end = static_cast<double>(std::max<std::uint64_t>({timeline_a().peak_bytes(), timeline_b().peak_bytes(), 1}));
    limits.min_width *= finest;
    return limits;
}

void ComparedPictures::forget() {
    making_.discard();
    park();
    state_ = {};
}

void ComparedPictures::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::panel,
         .order = 300,
         .is_there = [this](const Session& session) { return compare_.state().is_open && has_picture(session); },
         .area = PanelArea::column,
         .share = &compare_.state().width_share,
         .hide = [this] { compare_.state().is_open = false; },
         .draw =
             [this](const Area& area, Requests& requests) {
                 compare_.draw(
                     area, [&](float room_px) { draw(room_px, requests); }, requests);
             }});
}

void ComparedPictures::park() {
    canvas_a_.reset();
    canvas_b_.reset();
    sent_ = nullptr;
}

void ComparedPictures::update() {
    const CompareState& page = compare_.state();
    if (!page.is_open || page.shown == nullptr) {
        if (making_.input()) forget();
        return;
    }
    const ComparisonInput& compared = page.shown->input;
    const Wanted wanted{compared.a, compared.b, session_.colour_by == mesh::ColourBy::kind};
    if (const auto& before = making_.input(); before && (before->a != wanted.a || before->b != wanted.b)) forget();
    making_.follow(wanted, compared.read_bytes(), [shown = page.shown, with_kinds = wanted.with_kinds](Progress&) {
        return picture_of(shown, with_kinds);
    });
    take();
    if (state_.made == nullptr) return;
    send();
    continue_sending();
}

void ComparedPictures::take() {
    auto made = making_.take();
    if (!made) return;
    if (!*made) return fail(made->error());
    const bool is_first = state_.made == nullptr;
    state_.made = *std::move(*made);
    if (is_first) fit();
}

void ComparedPictures::fail(const Error& error) {
    if (error.code != ErrorCode::cancelled) state_.error = "B cannot be drawn: it " + error.text();
}

std::vector<std::uint32_t> ComparedPictures::colours_of_b() const {
    const ComparedPicture& made = *state_.made;
    const Timeline& timeline = made.timeline_b();
    mesh::ColourGroups groups = made.kinds_of_b() != nullptr ? kind_groups(timeline, made.kinds_of_b())
                                                             : mesh::colour_groups(timeline, session_.colour_by);
    for (mesh::ColourGroup& group : groups.groups) {
        const auto of_a = std::ranges::find(session_.groups.groups, group.name, &mesh::ColourGroup::name);
        if (of_a != session_.groups.groups.end()) group.colour = of_a->colour;
    }
    if (groups.groups.empty() && session_.colour_by == mesh::ColourBy::stack)
        return mesh::AllocationColours(timeline, made.stack_colours_of_b()).all();
    return mesh::AllocationColours(timeline, session_.colour_by, groups).all();
}

void ComparedPictures::continue_sending() {
    if (canvas_b_ == nullptr) return;
    render::TimelineRenderer& renderer = canvas_b_->renderer();
    const render::UploadProgress before = renderer.upload_progress();
    if (before.is_done()) return;
    if (const Status sent = renderer.continue_upload(k_sending_b_per_frame); !sent) fail(sent.error());
    if (renderer.upload_progress().is_done() != before.is_done()) canvas_b_->invalidate();
}

bool ComparedPictures::is_busy() const {
    if (making_.is_busy() || is_coarse()) return true;
    const CompareState& page = compare_.state();
    if (!page.is_open || page.shown == nullptr) return making_.input().has_value();
    if (!making_.input()) return true;
    return canvas_b_ != nullptr && (!has_colours() || !canvas_b_->renderer().upload_progress().is_done());
}

bool ComparedPictures::shows_a() const {
    return compare_.state().shown->input.a == OpenDevice{session_.document, session_.device_index} &&
           session_.current_timeline() != nullptr && session_.current_kind() == ViewKind::allocations;
}

bool ComparedPictures::shows_b() const { return canvas_b_ != nullptr && canvas_b_->renderer().upload_progress().is_done(); }

}  // namespace snapviewer::compare
