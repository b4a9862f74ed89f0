#include "app/features/save_picture/save_picture.h"

#include <algorithm>
#include <string>

#include "app/features/save_picture/picture_spec.h"
#include "app/features/timeline/colouring.h"
#include "app/system/window_system.h"
#include "app/ui/texts.h"
#include "core/query/database.h"

namespace snapviewer::save_picture {

std::string why_no_render_command(const Session& session) {
    if (!session.document) return "No file is open";
    if (session.shows_flame_graph()) return "Flame graphs come from snapviewer tree";
    if (session.shown_icicle() != nullptr) return "";
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return "There is no picture";
    const auto& devices = session.document->snapshot->devices;
    const auto first = std::ranges::find(devices, devices[session.device_index].device, &DeviceTrace::device);
    const bool is_first = first - devices.begin() == static_cast<std::ptrdiff_t>(session.device_index);
    return is_first ? "" : "Another part of the file has the same device number, so a command cannot select this one";
}

namespace {

/// Adds the highlight and the selection to `spec`.
void add_highlight(const Session& session, PictureSpec& spec) {
    if (const auto* text = session.highlight.as<TextSought>(); text != nullptr && !text->terms.empty())
        spec.search = text->text;
    if (const auto stack = session.highlight.stack()) spec.stack = static_cast<int>(stack->value);
    if (const auto* group = session.highlight.as<GroupSought>()) spec.group = group->name;
    if (session.selected().is_some()) spec.select = first_select(session) + session.selected().value;
}

}  // namespace

std::size_t first_select(const Session& session) {
    if (session.current_kind() != ViewKind::allocations) return 0;
    return static_cast<std::size_t>(query::first_allocation_row(*session.document->snapshot, session.device_index));
}

std::string left_out_of_render(const Session& session) {
    if (session.shown_icicle() != nullptr || session.current_timeline() == nullptr) return "";
    std::string left_out;
    if (session.highlight.as<AllocationsSought>() != nullptr) left_out = "the highlighting";
    const bool has_tracks = std::ranges::any_of(session.timeline.query_tracks, [&](const QueryTrack& query) {
        return query.timeline.get() == session.current_timeline();
    });
    if (has_tracks) left_out += left_out.empty() ? "tracks of queries" : " and tracks of queries";
    return left_out;
}

PictureSpec shown_picture(const Session& session, mesh::ThemeVariant ground) {
    const Document& document = *session.document;
    PictureSpec spec;
    spec.file = document.path;
    spec.with = document.with;
    if (document.part > 1) spec.part = document.part;
    if (ground == mesh::ThemeVariant::light) spec.theme = "light";
    if (const stacks::Icicle* icicle = session.shown_icicle()) {
        spec.picture = icicle->name;
        return spec;
    }
    const DeviceState& device = session.current_device();
    if (document.devices.size() > 1) spec.device = document.snapshot->devices[session.device_index].device;
    if (session.current_kind() != ViewKind::allocations)
        spec.shows = view_kind_names()[static_cast<std::size_t>(session.current_kind())];
    spec.axis = device.axis == Axis::time ? "time" : "steps";
    // Kinds exist for allocations alone; pictures of segments or pools are coloured by stack instead.
    const bool has_colours = session.colour_by != mesh::ColourBy::kind || session.current_kind() == ViewKind::allocations;
    spec.colour_by = colour_name(has_colours ? session.colour_by : mesh::ColourBy::stack);
    spec.remembered = true;
    add_highlight(session, spec);
    spec.view = view_text(device.view);
    return spec;
}

std::string render_command_line(const Session& session, mesh::ThemeVariant ground) {
    PictureSpec spec = shown_picture(session, ground);
    spec.file = users_path(spec.file);
    spec.with = spec.with.empty() ? "" : users_path(spec.with);
    spec.out = "picture.png";
    std::string line;
    for (const std::string& word : command_words(spec)) {
        // The value is quoted for the shell, but not the option's name.
        const std::size_t value_at = word.starts_with("--") ? word.find('=') + 1 : 0;
        line += (line.empty() ? "" : " ") + word.substr(0, value_at) + shell_word(word.substr(value_at));
    }
    return line;
}

void PictureSaver::connect(Switchboard& board) {
    const auto can_render = [](const Session& session) { return why_no_render_command(session).empty(); };
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::file_save_picture,
                            .is_possible = can_render,
                            .doc = why_no_render_command,
                            .is_open = &is_open_,
                            .draw = [this](const Area&, Requests& requests) { draw_window(requests); }});
    board.commands.on(
        CommandId::edit_copy_command,
        {.is_possible = can_render, .doc = why_no_render_command, .run = [this, &board] { copy_command(board.requests); }});
}

}  // namespace snapviewer::save_picture
