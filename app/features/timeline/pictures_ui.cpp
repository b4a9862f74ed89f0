#include <algorithm>
#include <chrono>
#include <utility>

#include "app/features/highlight.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/colouring.h"
#include "app/features/timeline/marks_ui.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/theme.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

/// Time budget per frame for uploads to the GPU.
constexpr auto k_sending_per_frame = std::chrono::milliseconds(8);

/// The mesh is built after the picture has been drawn from the index, so that it does not delay the first picture.
constexpr int k_frames_before_mesh = 3;

}  // namespace

Pictures::Pictures(Session& session, std::unique_ptr<render::TimelineCanvas> canvas)
    : session_(session), canvas_(std::move(canvas)) {
    session_.colour_by = colour_named(session_.preferences.colour_by).value_or(mesh::ColourBy::stack);
}

void Pictures::take_place_of(Feature& other) {
    auto& parked = static_cast<Pictures&>(other);
    parked.building_mesh_.discard();
    parked.frames_until_mesh_ = 0;
    parked.canvas_->renderer().clear();
    parked.canvas_->invalidate();
    canvas_ = std::move(parked.canvas_);
    is_sent_ = false;
}

bool Pictures::is_busy() const {
    if (building_.is_busy() || canvas_ == nullptr) return building_.is_busy();
    return is_sending() || is_mesh_due();
}

bool Pictures::is_mesh_due() const {
    return frames_until_mesh_ > 0 || building_mesh_.is_busy() || canvas_->renderer().is_sending_mesh();
}

bool Pictures::is_sending() const {
    if (building_.is_busy() || canvas_ == nullptr) return building_.is_busy();
    return canvas_->is_coarse() || !is_sent_ || !are_colours_sent_ || !is_highlight_sent() ||
           !canvas_->renderer().upload_progress().is_done();
}

/// Creates the pictures of allocations for all devices at once; other pictures are built on request.
void Pictures::adopt() {
    building_.discard();
    building_mesh_.discard();
    answers_.reset();
    frames_until_mesh_ = 0;
    error_.reset();
    session_.devices.clear();
    session_.highlight.found_in = nullptr;
    if (!session_.document) {
        canvas_->renderer().clear();
        is_sent_ = are_colours_sent_ = true;
        return;
    }
    const Document& document = *session_.document;
    session_.colour_by = mesh::first_colouring(*document.snapshot,
                                               colour_named(session_.preferences.colour_by).value_or(mesh::ColourBy::stack));
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        DevicePictures& device = session_.devices.emplace_back();
        device.of(ViewKind::allocations) = first_picture(document.devices[i]);
        device.badges = device_badges(*document.devices[i].timeline, document.devices[i].leaks.value_or(false));
        for (std::size_t kind = 0; kind < k_view_kinds; ++kind)
            device.why_not[kind] = why_no_view(*document.snapshot, i, static_cast<ViewKind>(kind));
    }
    if (session_.devices.empty()) return;
    session_.device_index = document.default_device;
    prepare();
}

DevicePicture Pictures::first_picture(DeviceView made) const {
    const Axis axis = default_axis(*made.timeline);
    const View all = fit_view(session_.limits(made, axis));
    DevicePicture picture{std::move(made), {axis, all, AllocationId::none()}, {}};
    for (std::size_t by = 0; by < mesh::k_colourings; ++by)
        picture.why_no_colours[by] = mesh::why_no_colours(*picture.made.timeline, static_cast<mesh::ColourBy>(by));
    return picture;
}

/// Keeps the visible range of time when another device or another picture of it is shown.
void Pictures::keep_moments(const DevicePicture& left, DevicePicture& shown) const {
    const Axis axis = left.state.axis;
    std::optional<View> view = same_moments(*left.made.timeline, left.state.view, *shown.made.timeline, axis);
    if (!view) return;
    const ViewLimits limits = session_.limits(shown.made, axis);
    view->y_end = fit_view(limits).y_end;
    shown.state.axis = axis;
    shown.state.view = pan_view(*view, 0, 0, limits);
}

void Pictures::put_on_screen(std::size_t device_index, ViewKind kind) {
    const DevicePicture& left = session_.devices[session_.device_index].current();
    DevicePictures& device = session_.devices[device_index];
    if (&left == &*device.of(kind)) return;
    keep_moments(left, *device.of(kind));
    session_.device_index = device_index;
    device.shown = kind;
    prepare();
}

/// Prepares everything that depends on the picture on the screen, after it has changed.
void Pictures::prepare() {
    session_.timeline.hovered = AllocationId::none();
    session_.timeline.forget_outlines();
    session_.timeline.forget_overlays();
    session_.document->database->set_allocs_device(session_.device_index);
    regroup();
    is_sent_ = false;
    ++colours_version_;
}

void Pictures::show_device(std::size_t device_index) {
    if (device_index < session_.devices.size()) put_on_screen(device_index, session_.devices[device_index].shown);
}

void Pictures::show(std::size_t device_index, ViewKind kind) {
    session_.icicle.shown.reset();
    building_.discard();
    if (session_.devices[device_index].shown != kind && session_.highlight.as<AllocationsSought>() != nullptr) {
        session_.highlight = Highlight{};
    }
    put_on_screen(device_index, kind);
}

void Pictures::show_view(ViewKind kind) {
    if (session_.current_timeline() == nullptr) return;
    DevicePictures& device = session_.devices[session_.device_index];
    if (const std::string& why_not = device.why_not[static_cast<std::size_t>(kind)]; !why_not.empty()) {
        session_.notice = why_not;
        return;
    }
    if (device.of(kind)) {
        show(session_.device_index, kind);
        return;
    }
    session_.icicle.shown.reset();
    building_device_ = session_.device_index;
    building_kind_ = kind;
    const std::uint64_t read_bytes = session_.document->snapshot->read_bytes;
    building_.start(read_bytes, [document = session_.document, device = building_device_, kind](Progress& progress) {
        return build_view(*document, device, kind, progress);
    });
}

/// Shows the next picture that the device has, in the order of ViewKind.
void Pictures::show_next_view() {
    if (session_.current_timeline() == nullptr) return;
    const DevicePictures& device = session_.devices[session_.device_index];
    for (std::size_t step = 1; step < k_view_kinds; ++step) {
        const std::size_t kind = (static_cast<std::size_t>(device.shown) + step) % k_view_kinds;
        if (!device.why_not[kind].empty()) continue;
        show_view(static_cast<ViewKind>(kind));
        return;
    }
    session_.notice = "This device has no other pictures, because the file holds neither segments nor private pools";
}

void Pictures::colour_by(mesh::ColourBy by) {
    session_.colour_by = by;
    session_.preferences.colour_by = colour_name(by);
    regroup();
    recolour();
}

void Pictures::recolour() {
    are_colours_sent_ = false;
    ++colours_version_;
}

/// Kinds exist for allocations alone; other pictures use the colours of stacks instead.
mesh::ColourBy Pictures::colouring() const {
    return session_.colour_by == mesh::ColourBy::kind && session_.current_kind() != ViewKind::allocations
               ? mesh::ColourBy::stack
               : session_.colour_by;
}

mesh::ColourGroups Pictures::groups_of(const Timeline& timeline) const {
    if (colouring() != mesh::ColourBy::kind) return mesh::colour_groups(timeline, colouring());
    const bool has_kinds =
        answers_ != nullptr && answers_->document == session_.document && answers_->device_index == session_.device_index;
    return kind_groups(timeline, has_kinds ? answers_->kinds.get() : nullptr);
}

void Pictures::use_answers(std::shared_ptr<const answers::DeviceAnswers> answers) {
    answers_ = std::move(answers);
    if (session_.current_timeline() == nullptr || colouring() != mesh::ColourBy::kind) return;
    regroup();
    recolour();
}

/// Computes the groups of the current colouring. Ends the highlight of a group, because the indices of groups change.
void Pictures::regroup() {
    if (session_.highlight.as<GroupSought>() != nullptr) session_.highlight = Highlight{};
    const Timeline* timeline = session_.current_timeline();
    session_.groups = timeline ? groups_of(*timeline) : mesh::ColourGroups{};
    update_highlight(session_.highlight, timeline, session_.groups);
}

void Pictures::update() {
    take_built();
    take_mesh();
    if (is_sent_) continue_sending();
    send();
    build_mesh_if_due();
}

void Pictures::take_built() {
    std::optional<Result<DeviceView>> built = building_.take();
    if (!built) return;
    if (*built) {
        session_.devices[building_device_].of(building_kind_) = first_picture(**std::move(built));
        if (building_device_ == session_.device_index) show_view(building_kind_);
    } else {
        session_.notice = "This device " + built->error().text();
    }
}

mesh::AllocationColours Pictures::colours() const { return {*session_.current_timeline(), colouring(), session_.groups}; }

bool Pictures::is_highlight_sent() const {
    if (session_.current_timeline() == nullptr) return true;
    return sent_highlight_ == session_.highlight.allocations &&
           (sent_highlight_ == nullptr || sent_theme_ == palette().ground);
}

void Pictures::send_highlight() {
    if (is_highlight_sent()) return;
    sent_highlight_ = session_.highlight.allocations;
    sent_theme_ = palette().ground;
    canvas_->invalidate();
    if (const Status sent = canvas_->renderer().set_highlight(sent_highlight_.get(), sent_theme_); !sent)
        error_ = sent.error();
}

void Pictures::send() {
    if (is_sent_ && are_colours_sent_) return send_highlight();
    const bool is_sent = std::exchange(is_sent_, true);
    are_colours_sent_ = true;
    if (session_.current_timeline() == nullptr) return;
    canvas_->invalidate();
    if (is_sent) {
        canvas_->renderer().set_colours(colours().all());
        return send_highlight();
    }
    const DeviceView& shown = session_.devices[session_.device_index].current().made;
    if (const Status status = canvas_->renderer().begin_upload(shown.timeline, shown.mesh, colours().all()); !status)
        error_ = status.error();
    sent_highlight_.reset();
    send_highlight();
    building_mesh_.discard();
    const bool has_mesh_from_the_start = shown.timeline->has_recorded_paths();
    frames_until_mesh_ = has_mesh_from_the_start ? 0 : k_frames_before_mesh;
    continue_sending();
}

void Pictures::continue_sending() {
    render::TimelineRenderer& renderer = canvas_->renderer();
    const bool is_sending_mesh = renderer.is_sending_mesh();
    if (renderer.upload_progress().is_done() && !is_sending_mesh) return;
    if (const Status status = renderer.continue_upload(k_sending_per_frame); !status) error_ = status.error();
    const bool is_done = is_sending_mesh ? !renderer.is_sending_mesh() : renderer.upload_progress().is_done();
    if (is_done) canvas_->invalidate();
}

void Pictures::build_mesh_if_due() {
    const Timeline* timeline = session_.current_timeline();
    if (frames_until_mesh_ == 0 || timeline == nullptr || !canvas_->renderer().upload_progress().is_done()) return;
    if (--frames_until_mesh_ > 0) return;
    const std::shared_ptr<const Timeline>& shown = session_.devices[session_.device_index].current().made.timeline;
    building_mesh_.start(shown->snapshot().read_bytes, [timeline = shown](Progress&) {
        std::optional<mesh::TriangleMesh> mesh = mesh::build_triangle_mesh(*timeline);
        return mesh ? std::make_shared<const mesh::TriangleMesh>(*std::move(mesh)) : nullptr;
    });
}

/// Takes the finished mesh. If there was too little memory to build it, every view is drawn from the index instead.
void Pictures::take_mesh() {
    const auto built = building_mesh_.take();
    if (!built || !*built || **built == nullptr || !is_sent_ || session_.current_timeline() == nullptr) return;
    const DeviceView& shown = session_.devices[session_.device_index].current().made;
    canvas_->warm_up_mesh();
    canvas_->renderer().begin_mesh_upload(render::TimelineTables::of(*shown.timeline, *shown.mesh), **built);
}

void BlockNames::update() {
    TimelineState& picture = session_.timeline;
    if (!session_.document || session_.current_timeline() == nullptr || session_.shown_icicle() != nullptr ||
        !session_.preferences.show_names) {
        task_.discard();
        task_.take();
        picture.names = NamedBlocks{};
        return;
    }
    if (std::optional<Result<NamedBlocks>> named = task_.take(); named && *named) picture.names = **std::move(named);
    const DeviceView& made = session_.devices[session_.device_index].current().made;
    const DeviceState& device = session_.current_device();
    if (picture.names.scene.device.timeline != made.timeline || picture.names.scene.axis != device.axis)
        picture.names = NamedBlocks{};
    if (pictures_.canvas().is_coarse()) {
        task_.discard();
        return;
    }
    const Projection& canvas = picture.projection;
    if (task_.is_busy() || canvas.max.x <= canvas.min.x) return;
    const NamingScene scene{made, device.axis, device.view, room_for_names(canvas)};
    task_.follow(scene, session_.document->snapshot->read_bytes, [scene](Progress&) { return named_blocks(scene); });
}

}  // namespace snapviewer
