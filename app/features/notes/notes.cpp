#include "app/features/notes/notes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "app/features/session.h"
#include "app/ui/texts.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

std::int64_t now_us() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

double step_at(const Timeline& timeline, Axis axis, double x) {
    return axis == Axis::steps ? x : static_cast<double>(timeline.step_of_tick(timeline.tick_at(axis, x)));
}

double x_of(const Timeline& timeline, Axis axis, double step) {
    return axis == Axis::steps ? step : place_of_tick(timeline, axis, timeline.tick_at(Axis::steps, step));
}

}  // namespace

void Notes::read(std::optional<std::uint64_t> content) {
    session_.notes = NotesState{};
    if (!content || notes_path(*content).empty()) return;
    session_.notes.content = content;
    if (auto read = read_notes(notes_path(*content)))
        session_.notes.notes = *std::move(read);
    else
        session_.notice = "The notes for this file cannot be shown: " + read.error().text();
    for (const Note& note : session_.notes.notes) need_characters(note.text);
}

void Notes::begin() {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr || !session_.notes.content) return;
    const TimelineState& picture = session_.timeline;
    const Axis axis = session_.current_device().axis;
    const View& view = session_.current_device().view;
    double x = std::midpoint(view.x_begin, view.x_end);
    double bytes = std::midpoint(view.y_begin, view.y_end);
    const Outline& selected = picture.selected_outline;
    if (picture.has_cursor) {
        x = picture.cursor_x;
        bytes = picture.cursor_bytes;
    } else if (session_.selected().is_some() && !selected.is_empty()) {
        x = selected.x.front();
        bytes = selected.low_bytes.front() + selected.size_bytes / 2;
    }
    x = std::clamp(x, 0.0, axis_end(*timeline, axis));
    Note note{
        .id = new_note_id(), .device = session_.device_index, .kind = session_.current_kind(), .text = "", .changed_us = 0};
    note.step = step_at(*timeline, axis, x);
    note.bytes = std::max(bytes, 0.0);
    session_.notes.edited = std::move(note);
}

void Notes::edit(const std::string& id) {
    const auto note = std::ranges::find(session_.notes.notes, id, &Note::id);
    if (note != session_.notes.notes.end()) session_.notes.edited = *note;
}

void Notes::keep(Note note) {
    const auto before = std::ranges::find(session_.notes.notes, note.id, &Note::id);
    const bool is_known = before != session_.notes.notes.end();
    note.text = shortened(note.text, k_max_note_bytes);
    if (note.text == (is_known ? before->text : "")) return;
    Note replaced = is_known ? *before : note;
    if (!is_known) replaced.text.clear();
    session_.notes.replaced.push_back(std::move(replaced));
    put(std::move(note));
}

void Notes::undo() {
    if (session_.notes.replaced.empty()) return;
    put(std::exchange(session_.notes.replaced.back(), {}));
    session_.notes.replaced.pop_back();
}

void Notes::put(Note note) {
    if (!session_.notes.content) return;
    std::vector<Note>& notes = session_.notes.notes;
    const auto before = std::ranges::find(notes, note.id, &Note::id);
    note.changed_us = std::max(now_us(), before == notes.end() ? 0 : before->changed_us + 1);
    if (before == notes.end())
        notes.push_back(std::move(note));
    else
        *before = std::move(note);
    if (const Status kept = merge_notes(notes_path(*session_.notes.content), notes); !kept)
        session_.notice = "The note could not be saved: " + kept.error().text();
    for (const Note& each : notes) need_characters(each.text);
}

void Notes::go_to(const std::string& id) {
    const auto note = std::ranges::find(session_.notes.notes, id, &Note::id);
    if (note == session_.notes.notes.end() || note->device >= session_.devices.size()) return;
    if (!session_.devices[note->device].of(note->kind)) {
        pictures_.show_device(note->device);
        pictures_.show_view(note->kind);
        return;
    }
    pictures_.show(note->device, note->kind);
    DeviceState& device = session_.current_device();
    const double x = x_of(*session_.current_timeline(), device.axis, note->step);
    const double around_x = device.view.width() / 20;
    const double around_y = device.view.height() / 20;
    device.view = reveal_in_view(device.view, {x - around_x, x + around_x, note->bytes - around_y, note->bytes + around_y},
                                 session_.current_limits());
}

std::vector<NoteFlag> notes_in_picture(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return {};
    return notes_in_picture(session.notes.notes, *timeline, session.current_device().axis, session.device_index,
                            session.current_kind());
}

std::vector<NoteFlag> notes_in_picture(const std::vector<Note>& notes, const Timeline& timeline, Axis axis,
                                       std::size_t device_index, ViewKind kind) {
    std::vector<NoteFlag> flags;
    for (const Note& note : notes) {
        if (note.text.empty() || note.device != device_index || note.kind != kind) continue;
        flags.push_back({note.id, x_of(timeline, axis, note.step), note.bytes, note.text});
    }
    return flags;
}

void Notes::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window, .draw = [this](const Area& /*area*/, Requests& requests) {
                                draw_note_window(session_.notes, requests);
                            }});
    board.handlers.on<ReadNotes>([this](const ReadNotes& asked) { read(asked.content); });
    board.commands.on(
        CommandId::edit_note,
        {.is_possible = [](const Session& session) { return has_picture(session) && session.notes.content.has_value(); },
         .doc =
             [](const Session&) {
                 return std::string("Adds a text at the pointer, or where the selected allocation begins");
             },
         .run = [this] { begin(); }});
    board.commands.on(
        CommandId::edit_undo_note,
        {.is_possible = [](const Session& session) { return has_picture(session) && !session.notes.replaced.empty(); },
         .run = [this] { undo(); }});
    board.handlers.on<EditNote>([this](const EditNote& asked) { edit(asked.id); });
    board.handlers.on<KeepNote>([this](const KeepNote& asked) { keep(asked.note); });
    board.handlers.on<GoToNote>([this](const GoToNote& asked) { go_to(asked.id); });
}

void Notes::leave() { session_.notes = NotesState{}; }
namespace {

using JsonValue = nlohmann::json;

JsonValue notes_report(const NotesState& notes) {
    JsonValue list = JsonValue::array();
    for (const Note& note : notes.notes) {
        if (!note.text.empty())
            list.push_back(
                {{"id", note.id}, {"device", note.device}, {"step", note.step}, {"bytes", note.bytes}, {"text", note.text}});
    }
    return {{"list", std::move(list)},
            {"edited", notes.edited ? JsonValue(notes.edited->text) : JsonValue(nullptr)},
            {"changes", notes.replaced.size()}};
}

}  // namespace

void Notes::describe(nlohmann::json& report) const { report["notes"] = notes_report(session_.notes); }

}  // namespace snapviewer
