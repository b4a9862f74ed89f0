#include "app/features/files/load_dialogs.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "app/features/app_state.h"
#include "app/features/files/growing_picture_view.h"
#include "app/features/timeline/totals_curve.h"
#include "app/system/window_system.h"
#include "app/ui/keys.h"
#include "app/ui/panel.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/base/addresses.h"
#include "core/base/number_text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

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
void begin_cover(const PixelBox& covered) {
    ImGui::SetNextWindowPos(covered.min);
    ImGui::SetNextWindowSize({covered.max.x - covered.min.x, covered.max.y - covered.min.y});
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

void coloured_text(ImU32 colour, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

/// Draws a button at the right edge of the window. Returns whether it was clicked.
bool right_button(const char* label, const char* rect) {
    const float width = scaled(96);
    ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - width);
    const bool is_pressed = ImGui::Button(label, {width, 0});
    report_rect(rect);
    return is_pressed;
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
    coloured_text(palette().text_dim, done_text(progress));
    ImGui::SameLine();
    if (right_button("Cancel", "load_cancel") || key_pressed(Key::escape)) requests.ask(RunCommand{"load_cancel"});
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
    const bool is_ssh = remote->way == RemoteAddress::Way::ssh;
    if (wire_bytes == 0) return is_ssh ? "; connecting to " + remote->host : "; connecting";
    return "; " + format_wire_bytes(wire_bytes, progress.done());
}

void draw_progress(const LoadInSight& load, ImVec2 size_of_picture, Requests& requests) {
    const Stage stage = load.progress->stage();
    const float fraction = fraction_of(*load.progress);
    ImGui::TextUnformatted(shown_name(load.path).c_str());
    std::string told = load.progress->stop_requested() ? "stopping" : stage_text(stage);
    if (stage == Stage::reading) told += wire_text(load.path, *load.progress);
    if (load.canvas != nullptr) told += "; " + growing_picture_text(load.growing);
    coloured_text(palette().text_dim, told);
    ImGui::Spacing();
    if (load.canvas != nullptr)
        draw_growing_picture(load.growing, *load.canvas, size_of_picture);
    else
        draw_totals_curve(load.progress->totals(), stage == Stage::reading && fraction > 0 ? fraction : 1, size_of_picture);
    ImGui::Spacing();
    draw_bar_and_cancel(*load.progress, requests);
}

}  // namespace

void draw_progress_dialog(const LoadInSight& load, Requests& requests) {
    if (load.progress == nullptr) return;
    begin_cover(load.covered);
    const bool is_small = load.is_over_picture && load.canvas == nullptr;
    const ImVec2 room(load.covered.max.x - load.covered.min.x, load.covered.max.y - load.covered.min.y);
    const float curve_height = std::min(scaled(is_small ? 110 : 300), room.y * 0.5F);
    const ImVec2 padding(scaled(20), scaled(16));
    const float lines = 4 * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetFrameHeight();
    const ImVec2 size(std::min(scaled(is_small ? 460 : 960), room.x * 0.94F), curve_height + lines + 2 * padding.y);
    ImGui::SetCursorPos({(room.x - size.x) / 2, std::max(0.0F, (room.y - size.y) / 2)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, scaled(6));
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    ImGui::BeginChild("load", size, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    draw_progress(load, {ImGui::GetContentRegionAvail().x, curve_height}, requests);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    ImGui::End();
}

void draw_build_dialog(const std::string& name, const Progress* progress, Requests& requests) {
    if (!begin_modal("Preparing a picture", progress != nullptr, 460)) return;
    if (progress != nullptr) {
        ImGui::TextUnformatted(("Of the " + name + " of this device").c_str());
        coloured_text(palette().text_dim, progress->stop_requested() ? "stopping" : stage_text(progress->stage()));
        ImGui::Spacing();
        draw_bar_and_cancel(*progress, requests);
    }
    ImGui::EndPopup();
}

void draw_error_dialog(const std::optional<FailedFile>& failed, Requests& requests) {
    if (!begin_modal("This file could not be opened", failed.has_value(), 560)) return;
    if (failed) {
        coloured_text(palette().text, shown_name(failed->path));
        const std::string folder = std::filesystem::path(users_path(failed->path)).parent_path().string();
        if (!is_standard_input(failed->path) && !folder.empty()) coloured_text(palette().text_faint, folder);
        ImGui::Spacing();
        coloured_text(palette().danger, failed->error.message);
        if (failed->error.offset) coloured_text(palette().text_dim, "at byte " + format_count(*failed->error.offset));
        if (!failed->error.context.empty()) coloured_text(palette().text_dim, "in " + failed->error.context);
        ImGui::Spacing();
        const bool is_acknowledged = right_button("OK", "error_ok");
        ImGui::SetItemDefaultFocus();
        if (is_acknowledged || enter_pressed() || key_pressed(Key::escape)) requests.ask(RunCommand{"error_dismiss"});
    }
    ImGui::EndPopup();
}

std::size_t notable_entries(const ImportLog& log) {
    return static_cast<std::size_t>(
        std::ranges::count_if(log.entries(), [](const ImportEntry& entry) { return entry.severity >= Severity::notice; }));
}

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
    if (ImGui::Button(label.c_str())) requests.ask(RunCommand{"log_show"});
    report_rect("import_log");
    ImGui::SameLine(ImGui::GetWindowWidth() - scaled(40));
    if (ImGui::Button("×")) requests.ask(RunCommand{"log_dismiss"});
    report_rect("import_log_dismiss");
    ImGui::PopStyleColor(2);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

void draw_import_log_window(const ImportLog& log, bool& is_open) {
    if (!is_open) return;
    ImGui::SetNextWindowSize({scaled(680), scaled(320)}, ImGuiCond_Appearing);
    if (begin_floating_window("File notes", is_open)) {
        for (const ImportEntry& entry : log.entries()) {
            coloured_text(severity_colour(entry.severity), severity_words(entry.severity));
            coloured_text(palette().text, entry.message);
            if (const std::string place = entry_place(entry); !place.empty()) coloured_text(palette().text_dim, place);
            ImGui::Spacing();
        }
    }
    ImGui::End();
}

}  // namespace snapviewer
