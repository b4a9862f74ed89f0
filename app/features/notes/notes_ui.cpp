#include "app/features/notes/notes.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/item_observer.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::notes {
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
    content_.reset();
    notes_.clear();
    replaced_.clear();
    edited_.reset();
    was_open_ = false;
    if (!content || notes_path(*content).empty()) return;
    content_ = content;
    if (auto read = read_notes(notes_path(*content)))
        notes_ = *std::move(read);
    else
        session_.notice = "The notes for this file cannot be shown: " + read.error().text();
    for (const Note& note : notes_) need_characters(note.text);
}

void Notes::begin() {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr || !content_) return;
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
    edited_ = Note{.id = new_note_id(),
                   .device = session_.device_index,
                   .kind = session_.current_kind(),
                   .step = step_at(*timeline, axis, x),
                   .bytes = std::max(bytes, 0.0),
                   .text = ""};
}

void Notes::edit(const std::string& id) {
    const auto note = std::ranges::find(notes_, id, &Note::id);
    if (note != notes_.end()) edited_ = *note;
}

void Notes::keep(Note note) {
    const auto before = std::ranges::find(notes_, note.id, &Note::id);
    Note replaced = before != notes_.end() ? *before : note;
    if (before == notes_.end()) replaced.text.clear();
    note.text = shortened(note.text, k_max_note_bytes);
    if (note.text == replaced.text) return;
    replaced_.push_back(std::move(replaced));
    put(std::move(note));
}

void Notes::undo() {
    if (replaced_.empty()) return;
    put(std::exchange(replaced_.back(), {}));
    replaced_.pop_back();
}

void Notes::put(Note note) {
    if (!content_) return;
    const auto before = std::ranges::find(notes_, note.id, &Note::id);
    note.changed_us = std::max(now_us(), before == notes_.end() ? 0 : before->changed_us + 1);
    if (before == notes_.end())
        notes_.push_back(std::move(note));
    else
        *before = std::move(note);
    if (const Status kept = merge_notes(notes_path(*content_), notes_); !kept)
        session_.notice = "The note could not be saved: " + kept.error().text();
    for (const Note& each : notes_) need_characters(each.text);
}

void Notes::go_to(const std::string& id) {
    const auto note = std::ranges::find(notes_, id, &Note::id);
    if (note == notes_.end() || note->device >= session_.devices.size()) return;
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

void Notes::update() {
    const Timeline* timeline = session_.current_timeline();
    session_.timeline.notes.clear();
    if (timeline != nullptr)
        session_.timeline.notes = notes_in_picture(notes_, *timeline, session_.current_device().axis, session_.device_index,
                                                   session_.current_kind());
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
    board.docked.push_back(
        {.dock = Dock::window, .draw = [this](const Area& /*area*/, Requests& requests) { draw_editor(requests); }});
    board.handlers.on<ReadNotes>([this](const ReadNotes& asked) { read(asked.content); });
    board.commands.on(
        CommandId::edit_note,
        {.is_possible = [this](const Session& session) { return has_picture(session) && content_.has_value(); },
         .doc = [](const Session&) { return "Adds a text at the pointer, or where the selected allocation begins"; },
         .run = [this] { begin(); }});
    board.commands.on(CommandId::edit_undo_note,
                      {.is_possible = [this](const Session& session) { return has_picture(session) && !replaced_.empty(); },
                       .run = [this] { undo(); }});
    board.handlers.on<EditNote>([this](const EditNote& asked) { edit(asked.id); });
}

void Notes::draw_editor(Requests& requests) {
    const bool opens = edited_ && !was_open_;
    was_open_ = edited_.has_value();
    if (!edited_) return;
    bool is_open = true;
    ImGui::SetNextWindowSize({scaled(460), scaled(180)}, ImGuiCond_Appearing);
    if (opens) ImGui::SetNextWindowFocus();
    if (begin_floating_window("Note", is_open)) {
        const float below_px = ImGui::GetFrameHeightWithSpacing();
        if (opens) ImGui::SetKeyboardFocusHere();
        const bool is_entered =
            ImGui::InputTextMultiline("##text", &edited_->text, {-1, ImGui::GetContentRegionAvail().y - below_px},
                                      ImGuiInputTextFlags_CtrlEnterForNewLine | ImGuiInputTextFlags_EnterReturnsTrue);
        observe_item("note_text");
        const bool is_kept = observed(ImGui::Button("Keep"), "note_keep");
        ImGui::SameLine();
        const bool is_deleted = observed(ImGui::Button("Delete"), "note_delete");
        ImGui::SameLine();
        ImGui::TextDisabled("Enter saves it, Ctrl+Enter starts a new line");
        if (is_deleted) edited_->text.clear();
        if (is_kept || is_deleted || is_entered) {
            requests.later("keep a note", [this, note = *edited_] { keep(note); });
            is_open = false;
        }
    }
    ImGui::End();
    if (!is_open) edited_.reset();
}

}  // namespace snapviewer::notes
