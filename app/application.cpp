#include "app/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/fonts.h"
#include "app/state_report.h"
#include "core/query/database.h"

namespace snapviewer {
namespace {

constexpr std::pair<std::string_view, ColourBy> k_colour_names[] = {
    {"stack", ColourBy::stack}, {"size", ColourBy::size},         {"stream", ColourBy::stream},
    {"pool", ColourBy::pool},   {"category", ColourBy::category}, {"age", ColourBy::age}};

ColourBy colour_from_name(std::string_view name) {
    const auto found = std::ranges::find(k_colour_names, name, &std::pair<std::string_view, ColourBy>::first);
    return found == std::end(k_colour_names) ? ColourBy::stack : found->second;
}

/// A frame that sends to the graphics card takes so much longer.
constexpr auto k_upload_per_frame = std::chrono::milliseconds(8);

/// Without a slash at its end, which a folder may be given with.
std::string absolute_path(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    if (failed) return path;
    const std::filesystem::path normal = absolute.lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).string();
}

}  // namespace

Result<std::unique_ptr<Application>> Application::create(Settings settings) {
    Result<std::unique_ptr<TimelineCanvas>> canvas = TimelineCanvas::create();
    if (!canvas) return canvas.error();
    return std::unique_ptr<Application>(new Application(std::move(settings), std::move(*canvas)));
}

Application::Application(Settings settings, std::unique_ptr<TimelineCanvas> canvas) : canvas_(std::move(canvas)) {
    state_.settings = std::move(settings);
    for (const std::string& path : state_.settings.recent_files) need_characters(path);
    for (const std::string& sql : state_.settings.query_history) need_characters(sql);
    state_.colour_by = colour_from_name(state_.settings.colour_by);
}

void Application::open_file(const std::string& path, const std::string& with) {
    state_.failed.reset();
    state_.notice.clear();
    need_characters(path);
    const std::uint64_t set_bytes = static_cast<std::uint64_t>(state_.settings.mesh_budget_mib) << 20;
    const MeshOptions mesh_options{mesh_budget_bytes(canvas_->renderer().drawing(), set_bytes, is_software_driver())};
    opening_path_ = absolute_path(path);
    opening_.start(opening(opening_path_, with.empty() ? "" : absolute_path(with), mesh_options, state_.document));
}

void Application::open_files(const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    for (std::size_t i = paths.size(); i-- > 1;) remember_file(state_.settings, absolute_path(paths[i]));
    open_file(paths.front(), paths.size() == 2 ? paths.back() : "");
    if (paths.size() > 1) {
        state_.notice = fmt::format("Opened the first of {} files; the others are under File > Open Recent", paths.size());
    }
}

bool Application::is_animating() const {
    return !canvas_->renderer().upload_progress().is_done() || opening_.is_busy() || building_.is_busy() ||
           query_.is_busy() || lookup_.is_busy() || !held_keys_.empty();
}

std::string Application::window_title() const {
    if (!state_.document) return "snapviewer";
    return std::filesystem::path(state_.document->path).filename().string() + " - snapviewer";
}

void Application::finish_load() {
    std::optional<OpenedFile> outcome = opening_.take();
    if (!outcome) return;
    if (outcome->document) {
        need_characters(outcome->characters);
        remember_file(state_.settings, outcome->path);
        save_settings(state_.settings);
        if (!outcome->document.value()->with.empty()) state_.notice = "Both files are open together";
        adopt(*std::move(outcome->document));
        state_.pair_offer = outcome->companion;
        file_watch_.start(std::move(outcome->paths), std::move(outcome->stamps));
    } else if (outcome->document.error().code == ErrorCode::cancelled) {
        state_.notice = "Stopped opening " + std::filesystem::path(outcome->path).filename().string();
    } else {
        state_.failed = FailedFile{outcome->path, outcome->document.error()};
    }
}

/// What is open stays until the file has been read anew, and if that fails.
void Application::reload() {
    if (!state_.document) return;
    file_watch_.accept();
    open_file(state_.document->path, state_.document->with);
}

void Application::adopt(std::shared_ptr<const Document> document) {
    query_.stop();
    building_.stop();
    file_watch_.stop();
    state_.document = std::move(document);
    state_.pair_offer.clear();
    state_.timeline.forget_overlays();
    state_.devices.clear();
    state_.findings_dismissed = false;
    state_.show_findings = false;
    state_.details = DetailsState{};
    state_.live = LiveListState{};
    const bool ends_search = state_.search.stack || state_.search.chosen || state_.search.group || !state_.document;
    if (ends_search) state_.search = SearchState{};
    state_.icicle = IcicleState{};
    state_.focus_next = Pane::timeline;
    if (!state_.document) {
        canvas_->renderer().clear();
        return;
    }
    state_.colour_by = first_colouring(*state_.document->snapshot, colour_from_name(state_.settings.colour_by));
    prepare_pictures();
    state_.icicle = make_icicle_state(state_.document->icicles, !state_.devices.empty());
    show_device(state_.document->default_device());
}

void Application::show_device(std::size_t device_index) {
    if (device_index >= state_.devices.size()) return;
    if (state_.device_index < state_.devices.size() && state_.device_index != device_index)
        keep_moments(state_.devices[state_.device_index].current(), state_.devices[device_index].current());
    state_.device_index = device_index;
    state_.timeline.hovered = AllocationId::none();
    state_.timeline.forget_outlines();
    state_.timeline.forget_overlays();
    state_.document->database->set_allocs_device(device_index);
    regroup();
    upload();
}

void Application::regroup() {
    if (state_.search.group) state_.search = SearchState{};
    const Timeline* timeline = state_.current_timeline();
    state_.groups = timeline ? colour_groups(*timeline, state_.colour_by) : ColourGroups{};
    find_emphasis();
}

void Application::upload() {
    const DeviceView& shown = state_.devices[state_.device_index].current().made;
    const Status status = canvas_->renderer().begin_upload(shown.timeline, shown.mesh, colours());
    if (!status) state_.failed = FailedFile{state_.document->path, status.error()};
    canvas_->invalidate();
    continue_upload();
}

void Application::continue_upload() {
    TimelineRenderer& renderer = canvas_->renderer();
    const UploadProgress before = renderer.upload_progress();
    if (before.is_done()) return;
    if (const Status status = renderer.continue_upload(k_upload_per_frame); !status) {
        state_.failed = FailedFile{state_.document->path, status.error()};
    }
    const UploadProgress after = renderer.upload_progress();
    if (after.can_draw != before.can_draw || after.is_done()) canvas_->invalidate();
}

void Application::colour_by(ColourBy by) {
    state_.colour_by = by;
    const auto name = std::ranges::find(k_colour_names, by, &std::pair<std::string_view, ColourBy>::second);
    state_.settings.colour_by = name->first;
    regroup();
    recolour();
}

void Application::select_and_reveal(std::size_t device_index, AllocationId id) {
    if (device_index != state_.device_index) show_device(device_index);
    const Timeline& timeline = *state_.current_timeline();
    DeviceState& device = state_.current_device();
    select(id);
    state_.timeline.selected_outline = make_outline(timeline, device.axis, id);
    device.view = reveal_in_view(device.view, bounds(state_.timeline.selected_outline), state_.current_limits());
}

void Application::follow_query(const QueryPaneEvents& events) {
    if (!state_.current_timeline()) return;
    const Snapshot& snapshot = *state_.document->snapshot;
    const auto select_index = [&](std::size_t device_index, std::int64_t index) {
        const std::size_t count = snapshot.devices[device_index].allocations.size();
        if (index < 0 || static_cast<std::uint64_t>(index) >= count) return false;
        if (device_index != state_.device_index) show_device(device_index);
        show_view(ViewKind::allocations);
        select_and_reveal(device_index, AllocationId{static_cast<std::uint32_t>(index)});
        return true;
    };
    if (events.select_allocs_index) select_index(state_.device_index, *events.select_allocs_index);
    if (!events.select_allocation_row) return;
    for (std::size_t device = 0; device < snapshot.devices.size(); ++device) {
        if (select_index(device, *events.select_allocation_row - first_allocation_row(snapshot, device))) return;
    }
}

void Application::toggle_axis() {
    const Timeline* timeline = state_.current_timeline();
    if (timeline == nullptr) return;
    if (!timeline->has_times()) {
        state_.notice = why_no_times(*timeline);
        return;
    }
    DeviceState& device = state_.current_device();
    const Axis other = device.axis == Axis::steps ? Axis::time : Axis::steps;
    device.view = change_axis(*timeline, device.view, device.axis, other);
    device.axis = other;
    state_.timeline.forget_outlines();
}

void Application::toggle_clock() {
    state_.settings.clock_times = !state_.settings.clock_times;
    if (state_.settings.clock_times && state_.current_timeline() && state_.current_device().axis == Axis::steps)
        toggle_axis();
}

void Application::zoom_to_selection() {
    if (!state_.selected().is_some()) return;
    const Timeline& timeline = *state_.current_timeline();
    DeviceState& device = state_.current_device();
    const Outline outline = make_outline(timeline, device.axis, device.selected);
    device.view = frame_view(bounds(outline), state_.current_limits());
}

void Application::carry_out(Requests requests) {
    for (const Command command : requests.commands) carry_out(command);
    if (requests.open_path) open_file(*requests.open_path);
    if (requests.open_with && state_.document) open_file(state_.document->path, *requests.open_with);
    if (requests.colour_by) colour_by(*requests.colour_by);
    if (requests.select && state_.current_timeline()) select(*requests.select);
    if (requests.device_index) show_device(*requests.device_index);
    if (requests.show_view) show_view(*requests.show_view);
    if (requests.show_overlay) show_overlay(requests.show_overlay->first, requests.show_overlay->second);
    if (requests.select_marker) select_marker(*requests.select_marker);
    if (requests.show_picture) show_picture(*requests.show_picture);
    if (requests.select_node) select_node(*requests.select_node);
    if (requests.search) search(*requests.search);
    if (requests.emphasise) emphasise(*requests.emphasise);
    if (requests.emphasise_group) emphasise_group(*requests.emphasise_group);
    if (requests.live_tick && state_.current_timeline()) {
        show_live_at(state_.live, *state_.current_timeline(), requests.live_tick);
    }
}

void Application::carry_out(Command command) {
    if (carry_out_on_icicle(command)) return;
    const Timeline* timeline = state_.current_timeline();
    switch (command) {
        case Command::open_dialog:
            state_.chooses_companion = false;
            open_file_dialog(state_.file_dialog, state_.settings);
            break;
        case Command::open_companion: choose_companion(); break;
        case Command::dismiss_pair: state_.pair_offer.clear(); break;
        case Command::reload: reload(); break;
        case Command::dismiss_reload: file_watch_.accept(); break;
        case Command::close_document: adopt(nullptr); break;
        case Command::quit: wants_quit_ = true; break;
        case Command::fit:
            if (timeline) state_.current_device().view = fit_view(state_.current_limits());
            break;
        case Command::zoom_to_selection: zoom_to_selection(); break;
        case Command::go_to_peak:
            if (timeline) go_to_peak();
            break;
        case Command::next_marker: go_to_marker(true); break;
        case Command::previous_marker: go_to_marker(false); break;
        case Command::toggle_axis: toggle_axis(); break;
        case Command::toggle_clock: toggle_clock(); break;
        case Command::toggle_query:
            state_.settings.show_query = !state_.settings.show_query;
            state_.focus_next = state_.settings.show_query ? Pane::query : Pane::timeline;
            break;
        case Command::toggle_tracks: state_.settings.tracks.show = !state_.settings.tracks.show; break;
        case Command::clear_selection:
            state_.timeline.tracks.selected.reset();
            if (timeline) select(AllocationId::none());
            break;
        case Command::copy_details:
            if (state_.selected().is_some()) ImGui::SetClipboardText(details_clipboard(state_.details).c_str());
            break;
        case Command::show_findings: state_.show_findings = true; break;
        case Command::dismiss_findings: state_.findings_dismissed = true; break;
        case Command::show_settings: state_.settings_view.is_open = true; break;
        case Command::show_keys: state_.show_keys = true; break;
        case Command::show_about: state_.show_about = true; break;
        case Command::cancel_load:
            opening_.stop();
            building_.stop();
            break;
        case Command::next_view: show_next_view(); break;
        case Command::dismiss_error: state_.failed.reset(); break;
        case Command::open_search: state_.search.is_open = state_.search.focus_input = state_.document != nullptr; break;
        case Command::close_search: close_search(); break;
        case Command::next_hit: go_to_hit(true); break;
        case Command::previous_hit: go_to_hit(false); break;
        case Command::next_picture: show_picture(next_picture(state_.icicle, !state_.devices.empty())); break;
        case Command::zoom_out: break;
    }
}

}  // namespace snapviewer
