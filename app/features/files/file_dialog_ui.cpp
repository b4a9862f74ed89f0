#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <filesystem>
#include <utility>

#include "app/features/files/files.h"
#include "app/system/folders.h"
#include "app/system/window_system.h"
#include "app/ui/data_table.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/system/files.h"

namespace snapviewer::files {
namespace {

/// Flags of the dialog's windows. ImGui's keyboard navigation is off, because the arrow keys always move the cursor of the
/// table.
constexpr ImGuiWindowFlags k_window_flags = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavInputs;

void apply_filter(FileDialogState& state) {
    state.visible.clear();
    if (!state.is_elsewhere) state.visible = filter_entries(state.entries, state.filter);
    state.cursor.reset();
    state.note.clear();
}

void list(FileDialogState& state, const std::string& folder) {
    state.folder = folder;
    state.entries.clear();
    state.folder_error.clear();
    state.is_trace_folder = path_kind(folder) == PathKind::trace_folder;
    if (Result<std::vector<FolderEntry>> listed = list_folder(folder); listed) {
        state.entries = std::move(*listed);
        for (const FolderEntry& entry : state.entries) need_characters(entry.name);
        sort_entries(state.entries, state.sort, state.sort_descending);
    } else {
        state.folder_error = listed.error().message;
    }
}

/// Handles a change of the path field: lists the folder that the path names, and filters the table by the text after the
/// last slash.
void follow_path_text(FileDialogState& state, const std::string& text) {
    if (text == state.parsed_text) return;
    state.parsed_text = text;
    state.is_elsewhere = is_remote(text);
    if (state.is_elsewhere) {
        apply_filter(state);
        return;
    }
    const TypedPath typed = parse_typed_path(text, state.folder);
    if (typed.folder != state.folder) list(state, typed.folder);
    state.filter.prefix = typed.prefix;
    apply_filter(state);
}

void set_path_text(FileDialogState& state, const std::string& text) {
    state.path_text = text;
    state.forced_text = text;
    follow_path_text(state, text);
}

void enter_folder(FileDialogState& state, const std::string& folder) {
    list(state, folder);
    state.parsed_text.clear();
    state.filter.part.clear();
    set_path_text(state, with_separator(folder));
}

/// Goes to the parent folder and moves the cursor to the folder that was left.
void enter_parent(FileDialogState& state) {
    const std::string from = state.folder;
    enter_folder(state, parent_folder(from));
    for (std::size_t row = 0; row < state.visible.size(); ++row) {
        if (join_path(state.folder, state.entries[state.visible[row]].name) != from) continue;
        state.cursor = row;
        state.scroll_to_cursor = true;
    }
}

/// The path field's text after Tab: the longest common beginning of all names in the table.
std::string completed_path(const FileDialogState& state) {
    std::vector<std::string_view> names;
    for (const std::uint32_t index : state.visible) names.push_back(state.entries[index].name);
    std::string name = common_beginning(names);
    if (name.size() < state.filter.prefix.size()) return state.parsed_text;
    if (names.size() == 1 && state.entries[state.visible[0]].is_folder) name += k_separator;
    return join_path(state.folder, name);
}

int edit_path_field(ImGuiInputTextCallbackData* data) {
    FileDialogState& state = *static_cast<FileDialogState*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        // Characters that were typed in the same frame as Tab are so far only in ImGui's buffer.
        follow_path_text(state, std::string(data->Buf, static_cast<std::size_t>(data->BufTextLen)));
        state.forced_text = completed_path(state);
    }
    if (!state.forced_text) return 0;
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, state.forced_text->c_str());
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
    state.forced_text.reset();
    return 0;
}

std::optional<std::string> choose_path(FileDialogState& state, const std::string& path) {
    switch (path_kind(path)) {
        case PathKind::file:
        case PathKind::trace_folder: return path;
        case PathKind::folder: enter_folder(state, path); break;
        case PathKind::absent: state.note = "There is no file called " + path; break;
    }
    state.focus_path = true;
    return std::nullopt;
}

/// Returns the path of the entry under the cursor, or else the path in the field, if it can be opened.
std::optional<std::string> choose(FileDialogState& state) {
    if (state.cursor) {
        const FolderEntry& entry = state.entries[state.visible[*state.cursor]];
        return choose_path(state, join_path(state.folder, entry.name));
    }
    if (is_remote(state.path_text)) return state.path_text;
    const TypedPath typed = parse_typed_path(state.path_text, state.folder);
    if (typed.prefix.empty() && typed.folder == state.folder) {
        if (state.is_trace_folder || state.takes_folders()) return state.folder;
        state.note = "Type a file name or choose a row";
        state.focus_path = true;
        return std::nullopt;
    }
    const std::string path = join_path(typed.folder, typed.prefix);
    if (state.takes_folders() && path_kind(path) == PathKind::folder) return path;
    return choose_path(state, path);
}

void draw_path_field(FileDialogState& state) {
    if (state.focus_path) ImGui::SetKeyboardFocusHere();
    state.focus_path = false;
    ImGui::SetNextItemWidth(-1.0F);
    const ImGuiInputTextFlags flags = ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue |
                                      ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackAlways;
    ImGui::InputText("##path", &state.path_text, flags, edit_path_field, &state);
    observe_item("file_dialog_path");
    if (ImGui::IsItemActive() && !state.forced_text && !state.focus_path) observe_item("file_dialog_path_takes_letters");
    // Backspace after a trailing slash goes to the parent folder, because there is no name left to erase.
    const bool slash_erased = state.parsed_text == state.path_text + k_separator && key_pressed(Key::backspace, true);
    if (slash_erased) {
        enter_parent(state);
    } else {
        follow_path_text(state, state.path_text);
    }
}

void draw_place(FileDialogState& state, const char* name, const std::string& folder) {
    ImGui::PushID(folder.c_str());
    if (ImGui::Selectable("##place", state.folder == folder && !state.is_elsewhere)) {
        enter_folder(state, folder);
        state.focus_path = true;
    }
    if (ImGui::IsItemHovered()) item_tooltip(folder);
    ImGui::SameLine(0.0F, 0.0F);
    ImGui::TextUnformatted(name);
    ImGui::PopID();
}

/// Draws the list of folders on other machines. A click puts the folder into the path field, so that only a file name has to
/// follow. A folder that is opened without a name opens as a fleet.
void draw_elsewhere(FileDialogState& state) {
    if (state.elsewhere.empty()) return;
    ImGui::Spacing();
    ImGui::TextDisabled("Other machines");
    for (std::size_t i = 0; i < state.elsewhere.size(); ++i) {
        const std::string folder = state.elsewhere[i];
        ImGui::PushID(folder.c_str());
        if (ImGui::Selectable("##elsewhere", state.path_text == folder)) {
            set_path_text(state, folder);
            state.focus_path = true;
        }
        observe_item("file_dialog_elsewhere_" + std::to_string(i));
        if (ImGui::IsItemHovered()) item_tooltip(folder);
        ImGui::SameLine(0.0F, 0.0F);
        ImGui::TextUnformatted(folder.c_str());
        ImGui::PopID();
    }
}

void draw_places(FileDialogState& state, const Preferences& settings) {
    ImGui::PushID("fixed");
    draw_place(state, "Home", home_folder());
    for (const std::filesystem::path& root : root_folders())
        draw_place(state, root == "/" ? "File system" : root.string().c_str(), root.string());
    draw_place(state, "Working folder", working_folder());
    ImGui::PopID();
    draw_elsewhere(state);
    if (settings.recent_places.empty()) return;
    ImGui::Spacing();
    ImGui::TextDisabled("Recent");
    for (const std::string& folder : settings.recent_places) {
        const std::size_t above = folder_part(without_separator(folder)).size();
        draw_place(state, folder.c_str() + (above < folder.size() ? above : 0), folder);
    }
}

void follow_sorting(FileDialogState& state, DataTable& table) {
    if (!table.take_sorting(state.sort, state.sort_descending)) return;
    sort_entries(state.entries, state.sort, state.sort_descending);
    apply_filter(state);
}

/// Draws a row of the file dialog's table. Returns whether it was double-clicked.
bool draw_row(const DataTable& table, FileDialogState& state, std::size_t row) {
    const FolderEntry& entry = state.entries[state.visible[row]];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(row));
    bool opened = false;
    if (table.select(row, row == state.cursor, ImGuiSelectableFlags_AllowDoubleClick)) {
        state.cursor = row;
        state.focus_path = true;
        opened = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    }
    ImGui::PopID();
    ImGui::SameLine(0.0F, 0.0F);
    if (entry.is_folder) {
        ImGui::TextColored(to_vec4(palette().accent), "%s/", entry.name.c_str());
    } else {
        ImGui::TextUnformatted(entry.name.c_str());
    }
    ImGui::TableNextColumn();
    if (!entry.is_folder) ImGui::TextUnformatted(format_bytes(entry.size_bytes).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(format_modified(entry.modified_s).c_str());
    return opened;
}

/// The columns of the file dialog's table, indexed by FolderSort. A narrow table has no room for modification times.
std::array<TableColumn, 3> entry_columns(float width_px) {
    const float em = ImGui::GetFontSize() / scaled(1);
    return {{{.title = "Name", .name = "name", .is_sorted_first = true},
             {.title = "Size", .name = "size", .width_px = 6 * em, .largest_first = true},
             {.title = "Modified",
              .name = "modified",
              .width_px = 10 * em,
              .largest_first = true,
              .has_no_room = width_px < 26 * ImGui::GetFontSize()}}};
}

/// Draws the file dialog's table. Returns whether a row was double-clicked; the cursor is then on that row.
bool draw_table(FileDialogState& state, const ImVec2& size) {
    const auto columns = entry_columns(ImGui::GetContentRegionAvail().x);
    DataTable table({.id = "entries",
                     .report = "file_dialog",
                     .columns = columns,
                     .size = size,
                     .flags = ImGuiTableFlags_BordersOuter | ImGuiTableFlags_Resizable});
    if (!table) return false;
    follow_sorting(state, table);
    state.page_rows = table.page_rows();
    if (std::exchange(state.scroll_to_cursor, false) && state.cursor) table.scroll_to(*state.cursor);
    bool opened = false;
    table.rows(state.visible.size(), [&](std::size_t row) { opened |= draw_row(table, state, row); });
    return opened;
}

void draw_message(const FileDialogState& state) {
    if (const auto remote = remote_address(state.path_text)) {
        const bool is_ssh = remote->transport == RemoteAddress::Transport::ssh;
        const std::string how = !is_ssh ? "Open downloads this with curl"
                                : is_remote_folder(state.path_text)
                                    ? "Type a file name; Open reads all snapshots of this folder on " + remote->host
                                    : "Open fetches this from " + remote->host + " with ssh";
        ImGui::TextDisabled("%s", how.c_str());
    } else if (!state.folder_error.empty()) {
        ImGui::TextColored(to_vec4(palette().danger), "%s", state.folder_error.c_str());
    } else if (!state.note.empty()) {
        ImGui::TextColored(to_vec4(palette().danger), "%s", state.note.c_str());
    } else if (state.is_trace_folder && !state.cursor && state.filter.prefix.empty()) {
        ImGui::TextDisabled("This is a SnapViewer trace: Open opens the whole folder");
    } else if (state.takes_folders() && !state.cursor && state.filter.prefix.empty()) {
        ImGui::TextDisabled("Open opens this folder, with all snapshots in it and in its subfolders");
    } else if (state.visible.empty()) {
        ImGui::TextDisabled("Nothing here matches the filters");
    } else {
        ImGui::TextDisabled("%s of %s entries", format_count(state.visible.size()).c_str(),
                            format_count(state.entries.size()).c_str());
    }
}

void draw_filters(FileDialogState& state) {
    bool changed = false;
    ImGui::SetNextItemWidth(12 * ImGui::GetFontSize());
    changed |= ImGui::InputTextWithHint("##part", "Name contains", &state.filter.part);
    observe_item("file_dialog_filter");
    ImGui::SameLine();
    int kind = state.filter.snapshots_only ? 1 : 0;
    ImGui::SetNextItemWidth(11 * ImGui::GetFontSize());
    changed |= ImGui::Combo("##kind", &kind, "All files\0Snapshot files\0");
    state.filter.snapshots_only = kind == 1;
    ImGui::SameLine();
    changed |= ImGui::Checkbox("Hidden files", &state.filter.show_hidden);
    if (changed) apply_filter(state);
}

/// Handles the keys that work in every field of the file dialog. Returns whether Enter was pressed.
bool handle_keys(FileDialogState& state) {
    if (ImGui::GetIO().KeyAlt && key_pressed(Key::up)) {
        enter_parent(state);
    } else if (const auto row = row_by_keys(state.cursor, state.visible.size(), state.page_rows, true)) {
        state.cursor = row;
        state.scroll_to_cursor = true;
    }
    return enter_pressed();
}

/// Draws the content of the file dialog. Returns whether the user asked to open the chosen path.
bool draw_content(FileDialogState& state, const Preferences& settings) {
    const float em = ImGui::GetFontSize();
    const float footer_px = 2 * ImGui::GetFrameHeightWithSpacing() + ImGui::GetTextLineHeightWithSpacing();
    draw_path_field(state);
    ImGui::BeginChild("places", ImVec2(12 * em, -footer_px), true);
    draw_places(state, settings);
    ImGui::EndChild();
    ImGui::SameLine();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    bool accepted = draw_table(state, ImVec2(room.x, room.y - footer_px));
    draw_message(state);
    draw_filters(state);
    accepted |= ImGui::Button("Open", ImVec2(8 * em, 0.0F));
    observe_item("file_dialog_open");
    return accepted;
}

/// Titles of the dialog, indexed by FilePurpose.
constexpr std::array k_titles = {"Open a snapshot", "Open a snapshot in a new tab", "Open a snapshot",
                                 "Compare with a snapshot", "Open a folder of ranks"};

}  // namespace

/// Shows the file dialog from the next draw on, starting in the last used folder. Uses the native dialog of the system if
/// there is one. The dialog gets the keyboard focus, even if the command palette would return it to another pane.
void FileOpener::show_dialog(FilePurpose purpose) {
    session_.focus_returns_to.reset();
    session_.focus_next.reset();
    dialog_.purpose = purpose;
    if (ask_for_file()) return;
    const std::vector<std::string>& recent = session_.preferences.recent_places;
    const std::string folder = !dialog_.folder.empty() ? dialog_.folder
                               : !recent.empty()       ? recent.front()
                                                       : working_folder();
    dialog_.open_requested = true;
    dialog_.elsewhere = folders_elsewhere(session_.preferences.recent_files);
    enter_folder(dialog_, folder);
    // The text of the field is initially selected, so that the user can type or paste a path at once.
    dialog_.forced_text.reset();
}

/// Draws the file dialog while it is open, and asks for the file or folder that the user has chosen. O(rows on the screen).
void FileOpener::draw_dialog(Requests& requests) {
    if (const auto chosen = take_chosen_file()) return ask_for(*chosen, requests);
    const std::string title = std::string(k_titles[static_cast<std::size_t>(dialog_.purpose)]) + "###choose a file";
    if (dialog_.open_requested) {
        ImGui::OpenPopup(title.c_str());
        dialog_.open_requested = false;
        dialog_.focus_path = true;
    }
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(ImVec2(screen.x * 0.5F, screen.y * 0.5F), ImGuiCond_Appearing, ImVec2(0.5F, 0.5F));
    ImGui::SetNextWindowSize(ImVec2(screen.x * 0.65F, screen.y * 0.75F), ImGuiCond_Appearing);
    if (!ImGui::BeginPopupModal(title.c_str(), nullptr, k_window_flags)) return;

    bool accepted = draw_content(dialog_, session_.preferences);
    ImGui::SameLine();
    bool cancelled = ImGui::Button("Cancel", ImVec2(8 * ImGui::GetFontSize(), 0.0F));
    observe_item("file_dialog_cancel");
    accepted |= handle_keys(dialog_);
    cancelled |= key_pressed(Key::escape);

    std::optional<std::string> chosen;
    if (accepted) chosen = choose(dialog_);
    if (chosen || cancelled) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    if (chosen) ask_for(*chosen, requests);
}

}  // namespace snapviewer::files
