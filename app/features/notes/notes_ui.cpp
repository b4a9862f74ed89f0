#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/features/notes/notes.h"
#include "app/features/requests.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer::notes {

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
