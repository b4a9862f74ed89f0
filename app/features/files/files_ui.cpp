#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "app/features/files/files.h"
#include "app/features/timeline/curves_ui.h"
#include "app/system/window_system.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::files {
namespace {

/// Delay before a progress dialog appears, because a dialog for a file or picture that is ready sooner would only flicker.
constexpr double k_quiet_load_ms = 150;

constexpr ImGuiWindowFlags k_modal_flags =
    ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove;

/// Begins a modal that is open exactly while `is_wanted`. If this returns true, the caller must call ImGui::EndPopup().
bool begin_modal(const char* name, bool is_wanted, float width_px) {
    if (is_wanted && !ImGui::IsPopupOpen(name)) ImGui::OpenPopup(name);
    ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
    const float width = std::min(scaled(width_px), ImGui::GetMainViewport()->Size.x * 0.94F);
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, ImGui::GetMainViewport()->Size.y * 0.94F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {scaled(20), scaled(16)});
    const bool is_shown = ImGui::BeginPopupModal(name, nullptr, k_modal_flags);
    ImGui::PopStyleVar();
    if (!is_shown) return false;
    if (!is_wanted) ImGui::CloseCurrentPopup();
    return true;
}

/// Begins a window that covers a part of the screen, in front of all other windows, and takes all clicks there. The caller
/// must call ImGui::End().
void begin_cover(const Area& covered) {
    ImGui::SetNextWindowPos(covered.pos);
    ImGui::SetNextWindowSize(covered.size);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_ModalWindowDimBg));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin(
        "Opening a file", nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor();
    if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
}

/// Draws a button at the right edge of the window. Returns whether it was clicked.
bool right_button(const char* label, const char* rect) {
    const float width = scaled(96);
    ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - width);
    return observed(ImGui::Button(label, {width, 0}), rect);
}

float fraction_of(const Progress& progress) { return std::clamp(progress.fraction(), 0.0F, 1.0F); }

/// Progress as text: a percentage, or the bytes read if the total is unknown.
std::string done_text(const Progress& progress) {
    const float fraction = fraction_of(progress);
    if (progress.stage() == Stage::reading && fraction == 0 && progress.done() > 0) return format_bytes(progress.done());
    return fmt::format("{:.0f} %", static_cast<double>(fraction) * 100.0);
}

void draw_bar_and_cancel(const Progress& progress, Requests& requests) {
    ImGui::ProgressBar(fraction_of(progress), {-1, scaled(8)}, "");
    wrapped_text(palette().text_dim, done_text(progress));
    ImGui::SameLine();
    if (right_button("Cancel", "load_cancel") || key_pressed(Key::escape)) requests.ask(RunCommand{CommandId::load_cancel});
}

ImU32 severity_colour(Severity severity) {
    switch (severity) {
        case Severity::info: return palette().text_dim;
        case Severity::notice: return palette().notice;
        case Severity::data_loss: return palette().danger;
    }
    return palette().text;
}

std::string entry_place(const ImportEntry& entry) {
    std::string text = entry.count > 1 ? format_count(entry.count) + " times" : "";
    if (entry.first_offset)
        text += fmt::format("{}first at {}", text.empty() ? "" : ", ", format_count(*entry.first_offset));
    return text;
}

/// The network traffic of a remote file; empty for a local one.
std::string wire_text(const std::string& path, const Progress& progress) {
    const auto remote = remote_address(path);
    if (!remote) return "";
    const std::uint64_t wire_bytes = progress.wire_bytes();
    const bool is_ssh = remote->transport == RemoteAddress::Transport::ssh;
    if (wire_bytes == 0) return is_ssh ? "; connecting to " + remote->host : "; connecting";
    return "; " + format_wire_bytes(wire_bytes, progress.done());
}

/// Draws the stage of loading, the percentage, the totals read so far, and a button to cancel.
void draw_progress(const std::string& path, const Progress& progress, ImVec2 size_of_curve, Requests& requests) {
    const bool is_reading = progress.stage() == Stage::reading;
    const float fraction = fraction_of(progress);
    ImGui::TextUnformatted(display_name(path).c_str());
    const std::string stage = progress.stop_requested() ? "stopping" : stage_text(progress.stage());
    wrapped_text(palette().text_dim, is_reading ? stage + wire_text(path, progress) : stage);
    ImGui::Spacing();
    draw_totals_curve(progress.totals(), is_reading && fraction > 0 ? fraction : 1, size_of_curve);
    ImGui::Spacing();
    draw_bar_and_cancel(progress, requests);
}

}  // namespace

/// Draws the progress of loading after a moment. The dialog is small over an open document. It leaves the menu and the tabs
/// uncovered.
void FileOpener::draw_progress_cover(const Area& covered, Requests& requests) {
    is_covered_by_progress_ = task_.is_busy() && task_.elapsed_ms() > k_quiet_load_ms;
    if (!is_covered_by_progress_) return;
    begin_cover(covered);
    const bool is_small = session_.document != nullptr;
    const ImVec2 room = covered.size;
    const float curve_height = std::min(scaled(is_small ? 110 : 300), room.y * 0.5F);
    const ImVec2 padding(scaled(20), scaled(16));
    const float lines = 4 * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetFrameHeight();
    const ImVec2 size(std::min(scaled(is_small ? 460 : 960), room.x * 0.94F), curve_height + lines + 2 * padding.y);
    ImGui::SetCursorPos({(room.x - size.x) / 2, std::max(0.0F, (room.y - size.y) / 2)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, scaled(6));
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    ImGui::BeginChild("load", size, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    draw_progress(path_, task_.progress(), {ImGui::GetContentRegionAvail().x, curve_height}, requests);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    ImGui::End();
}

/// Draws the progress of building another view, such as "segments" or "pools".
void FileOpener::draw_build_dialog(Requests& requests) const {
    const BackgroundTask<DeviceView>& building = pictures_.building();
    const bool is_slow = building.is_busy() && building.elapsed_ms() > k_quiet_load_ms;
    if (!begin_modal("Preparing a picture", is_slow, 460)) return;
    if (is_slow) {
        const Progress& progress = building.progress();
        const std::string name = view_kind_names()[static_cast<std::size_t>(pictures_.building_kind())];
        ImGui::TextUnformatted(("Of the " + name + " of this device").c_str());
        wrapped_text(palette().text_dim, progress.stop_requested() ? "stopping" : stage_text(progress.stage()));
        ImGui::Spacing();
        draw_bar_and_cancel(progress, requests);
    }
    ImGui::EndPopup();
}

/// Draws the dialog that reports a file that could not be opened, if there is one. It stays until the user closes it.
void FileOpener::draw_error_dialog(Requests& requests) {
    if (!begin_modal("This file could not be opened", failed_.has_value(), 560)) return;
    if (failed_) {
        wrapped_text(palette().text, display_name(failed_->path));
        const std::string folder = std::filesystem::path(users_path(failed_->path)).parent_path().string();
        if (!is_standard_input(failed_->path) && !folder.empty()) wrapped_text(palette().text_faint, folder);
        ImGui::Spacing();
        wrapped_text(palette().danger, failed_->error.message);
        if (failed_->error.offset) wrapped_text(palette().text_dim, "at byte " + format_count(*failed_->error.offset));
        if (!failed_->error.context.empty()) wrapped_text(palette().text_dim, "in " + failed_->error.context);
        ImGui::Spacing();
        const bool is_acknowledged = right_button("OK", "error_ok");
        ImGui::SetItemDefaultFocus();
        if (is_acknowledged || enter_pressed() || key_pressed(Key::escape))
            requests.ask(RunCommand{CommandId::error_dismiss});
    }
    ImGui::EndPopup();
}

namespace {

/// Number of entries in the import log that the user should see.
std::size_t notable_entries(const ImportLog& log) {
    return static_cast<std::size_t>(
        std::ranges::count_if(log.entries(), [](const ImportEntry& entry) { return entry.severity >= Severity::notice; }));
}

/// Draws a banner such as "3 notes about this file". If the file is truncated, the banner is red and says that first.
void draw_import_log_banner(const Snapshot& snapshot, Requests& requests) {
    const std::size_t count = notable_entries(snapshot.log);
    const std::string cut_off = cut_off_sentence(snapshot);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().notice_panel);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(10), scaled(3)});
    ImGui::BeginChild("import log banner", {0, ImGui::GetFrameHeight() + scaled(4)}, false, ImGuiWindowFlags_NoScrollbar);
    ImGui::SetCursorPos({scaled(10), scaled(2)});
    ImGui::PushStyleColor(ImGuiCol_Text, cut_off.empty() ? palette().notice : palette().danger);
    ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    const std::string label =
        fmt::format("{}{}", cut_off.empty() ? "" : fmt::format("The file is {}  ·  ", cut_off), counted(count, "file note"));
    if (observed(ImGui::Button(label.c_str()), "import_log")) requests.ask(RunCommand{CommandId::log_show});
    ImGui::SameLine(ImGui::GetWindowWidth() - scaled(40));
    if (observed(ImGui::Button("×"), "import_log_dismiss")) requests.ask(RunCommand{CommandId::log_dismiss});
    ImGui::PopStyleColor(2);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

}  // namespace

void FileOpener::draw_import_log_window() {
    if (!session_.document || !import_log_.is_open) return;
    ImGui::SetNextWindowSize({scaled(680), scaled(320)}, ImGuiCond_Appearing);
    if (begin_floating_window("File notes", import_log_.is_open)) {
        for (const ImportEntry& entry : session_.document->snapshot->log.entries()) {
            wrapped_text(severity_colour(entry.severity), severity_words(entry.severity));
            wrapped_text(palette().text, entry.message);
            if (const std::string place = entry_place(entry); !place.empty()) wrapped_text(palette().text_dim, place);
            ImGui::Spacing();
        }
    }
    ImGui::End();
}

void FileOpener::draw_recent_menu(Requests& requests) {
    const std::vector<std::string>& files = session_.preferences.recent_files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        const bool is_chosen = ImGui::MenuItem(files[i].c_str());
        const bool is_middle = ImGui::IsItemClicked(ImGuiMouseButton_Middle);
        if (is_middle || (is_chosen && ImGui::GetIO().KeyCtrl))
            requests.ask(OpenInTab{files[i]});
        else if (is_chosen)
            requests.ask(OpenFile{files[i]});
        if (is_middle) ImGui::CloseCurrentPopup();
        observe_item("menu_file_recent_" + std::to_string(i));
        ImGui::PopID();
    }
}

namespace {

constexpr std::size_t k_shown_recent_files = 6;
/// The example program of docs/getting-started.md.
constexpr const char* k_recording =
    "import torch\n"
    "\n"
    "torch.cuda.memory._record_memory_history(max_entries=200_000)\n"
    "\n"
    "def dump(*_):\n"
    "    torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")\n"
    "\n"
    "torch._C._cuda_attach_out_of_memory_observer(dump)   # if memory runs out\n"
    "train()\n"
    "dump()                                               # or at any other moment\n";

void gap(float height_px) { ImGui::Dummy({0, scaled(height_px)}); }

void draw_ways_to_open(bool has_sample, Requests& requests) {
    if (observed(ImGui::Button("Open a snapshot…", {scaled(180), scaled(34)}), "welcome_open"))
        requests.ask(RunCommand{CommandId::file_open});
    ImGui::SameLine();
    if (has_sample) {
        if (observed(ImGui::Button("Try the sample", {scaled(130), scaled(34)}), "welcome_sample"))
            requests.ask(RunCommand{CommandId::help_sample});
        ImGui::SameLine();
    }
    ImGui::AlignTextToFramePadding();
    const std::string keys = keys_of(CommandId::file_open);
    wrapped_text(palette().text_dim, keys + (k_has_address ? ", or drop a file on this page"
                                                           : ", or drop a file on this window,\nor run: snapviewer FILE"));
}

void draw_recent(const std::vector<std::string>& files, Requests& requests) {
    if (files.empty()) return;
    wrapped_text(palette().text_dim, "Recent");
    for (std::size_t i = 0; i < std::min(files.size(), k_shown_recent_files); ++i) {
        const std::filesystem::path path(users_path(files[i]));
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        if (observed(ImGui::Selectable("##recent", false), "welcome_recent_" + std::to_string(i)))
            requests.ask(OpenFile{files[i]});
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        ImDrawList* list = ImGui::GetWindowDrawList();
        const std::string name = path.filename().string();
        list->AddText(pos, palette().accent, name.c_str());
        const float after = pos.x + ImGui::CalcTextSize(name.c_str()).x + scaled(16);
        list->AddText({after, pos.y}, palette().text_faint, path.parent_path().string().c_str());
        ImGui::PopID();
    }
    gap(20);
}

void draw_recording(float width, Requests& requests) {
    wrapped_text(palette().text_dim, "To record one in PyTorch");
    const ImVec2 padding(scaled(14), scaled(10));
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    push_font(fonts().code);
    const ImVec2 text_size = ImGui::CalcTextSize(k_recording);
    const ImVec2 size(width, text_size.y + 2 * padding.y);
    list->AddRectFilled(pos, {pos.x + size.x, pos.y + size.y}, palette().canvas, scaled(4));
    list->PushClipRect(pos, {pos.x + size.x, pos.y + size.y}, true);
    list->AddText({pos.x + padding.x, pos.y + padding.y}, palette().text, k_recording);
    list->PopClipRect();
    ImGui::PopFont();
    ImGui::Dummy(size);
    if (observed(ImGui::Button("Copy"), "welcome_copy")) requests.ask(CopyText{k_recording, "The program"});
}

/// Explains how to open a file or the sample, if there is one, and how to record a file.
void draw_no_file(const std::vector<std::string>& recent_files, bool has_sample, Requests& requests) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float width = std::min(scaled(640), room.x - scaled(32));
    const float height = std::min(scaled(600), room.y - scaled(16));
    const ImVec2 corner = ImGui::GetCursorPos();
    ImGui::SetCursorPos({corner.x + (room.x - width) / 2, corner.y + std::max(scaled(8), (room.y - height) * 0.4F)});
    ImGui::BeginChild("welcome", {width, height});
    push_font(fonts().title);
    ImGui::TextUnformatted("snapviewer");
    ImGui::PopFont();
    wrapped_text(palette().text_dim, "Where did the GPU memory go?");
    gap(16);
    draw_ways_to_open(has_sample, requests);
    gap(20);
    draw_recent(recent_files, requests);
    draw_recording(width, requests);
    ImGui::EndChild();
}

/// Draws the text that replaces the picture for a file without allocations: the actions that are still possible.
void draw_nothing_to_draw(bool has_query_pane, Requests& requests) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float width = std::min(scaled(520), room.x - scaled(32));
    const ImVec2 corner = ImGui::GetCursorPos();
    ImGui::SetCursorPos({corner.x + (room.x - width) / 2, corner.y + std::max(scaled(8), room.y * 0.35F)});
    ImGui::BeginChild("nothing to draw", {width, std::max(scaled(60), room.y * 0.6F)});
    ImGui::TextUnformatted("There is no picture in this file");
    gap(4);
    wrapped_text(palette().text_dim,
                 "The file holds no memory events and no segments, only tables, which you can query. Press Tables in the "
                 "query pane to list them.");
    if (!has_query_pane) {
        gap(8);
        if (observed(ImGui::Button("Show the query pane"), "nothing_query")) requests.ask(RunCommand{CommandId::view_query});
    }
    ImGui::EndChild();
}

/// Draws a banner with an offer and two buttons. Returns whether the user accepted it; nullopt if no button was clicked.
std::optional<bool> draw_offer(const std::string& text, const char* yes, const char* no, const char* yes_rect,
                               const char* no_rect) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().notice_panel);
    ImGui::BeginChild(yes_rect, {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text.c_str());
    ImGui::SameLine(0, scaled(12));
    const bool is_accepted = observed(ImGui::Button(yes), yes_rect);
    ImGui::SameLine(0, scaled(6));
    const bool is_declined = observed(ImGui::Button(no), no_rect);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    return is_accepted || is_declined ? std::optional(is_accepted) : std::nullopt;
}

/// Draws the offer to reload a file that has changed on the disk.
void draw_reload_banner(const std::string& path, Requests& requests) {
    const std::string text = std::filesystem::path(path).filename().string() + " has changed on disk since it was opened.";
    if (const auto is_accepted = draw_offer(text, "Reload", "Dismiss", "reload", "reload_dismiss"))
        requests.ask(RunCommand{*is_accepted ? CommandId::file_reload : CommandId::reload_dismiss});
}

}  // namespace

/// Draws the offer to open the current file together with the previously open one.
void FileOpener::draw_pair_banner(Requests& requests) {
    // The name includes the folder, because the profiles of all ranks have the same file name, each in its own folder.
    const std::filesystem::path path(users_path(pair_offer_));
    const std::string name = (path.parent_path().filename() / path.filename()).string();
    const std::string text = name + " was open before. The two files can be shown together.";
    const auto is_accepted = draw_offer(text, "Open together", "Not now", "pair_draw", "pair_dismiss");
    if (!is_accepted) return;
    if (*is_accepted)
        ask_to_open_with(pair_offer_, requests);
    else
        requests.ask(RunCommand{CommandId::pair_dismiss});
}

/// Draws the banners above the picture, each with an offer that the user can accept or dismiss.
void FileOpener::draw_banners(Requests& requests) {
    if (!session_.document) return;
    if (on_disk_ == DiskChange::changed) draw_reload_banner(session_.document->path, requests);
    if (!pair_offer_.empty()) draw_pair_banner(requests);
    const Snapshot& snapshot = *session_.document->snapshot;
    if (has_any_picture(session_) && !import_log_.is_dismissed && notable_entries(snapshot.log) > 0)
        draw_import_log_banner(snapshot, requests);
}

void FileOpener::draw_welcome(Requests& requests) const {
    if (session_.document) return draw_nothing_to_draw(session_.preferences.show_query, requests);
    const Command& sample = board_->commands.at(CommandId::help_sample);
    draw_no_file(session_.preferences.recent_files, sample.can_run(session_), requests);
}

}  // namespace snapviewer::files
