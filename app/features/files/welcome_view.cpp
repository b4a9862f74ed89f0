#include "app/features/files/welcome_view.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "app/system/window_system.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
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

void coloured_text(ImU32 colour, const char* text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void gap(float height_px) { ImGui::Dummy({0, scaled(height_px)}); }

void draw_ways_to_open(bool has_sample, Requests& requests) {
    if (ImGui::Button("Open a snapshot…", {scaled(180), scaled(34)})) requests.ask(RunCommand{"file_open"});
    report_rect("welcome_open");
    ImGui::SameLine();
    if (has_sample) {
        if (ImGui::Button("Try the sample", {scaled(130), scaled(34)})) requests.ask(RunCommand{"help_sample"});
        report_rect("welcome_sample");
        ImGui::SameLine();
    }
    ImGui::AlignTextToFramePadding();
    coloured_text(palette().text_dim, k_has_address ? "Ctrl+O, or drop a file on this page"
                                                    : "Ctrl+O, or drop a file on this window,\nor run: snapviewer FILE");
}

void draw_recent(const std::vector<std::string>& files, Requests& requests) {
    if (files.empty()) return;
    coloured_text(palette().text_dim, "Recent");
    for (std::size_t i = 0; i < std::min(files.size(), k_shown_recent_files); ++i) {
        const std::filesystem::path path(users_path(files[i]));
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        if (ImGui::Selectable("##recent", false)) requests.ask(OpenFile{files[i]});
        report_rect("welcome_recent_" + std::to_string(i));
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
    coloured_text(palette().text_dim, "To record one in PyTorch");
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
    if (ImGui::Button("Copy")) requests.ask(CopyText{k_recording, "The program"});
    report_rect("welcome_copy");
}

}  // namespace

void draw_welcome_view(const std::vector<std::string>& recent_files, bool has_sample, ImFont* title_font,
                       Requests& requests) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float width = std::min(scaled(640), room.x - scaled(32));
    const float height = std::min(scaled(600), room.y - scaled(16));
    const ImVec2 corner = ImGui::GetCursorPos();
    ImGui::SetCursorPos({corner.x + (room.x - width) / 2, corner.y + std::max(scaled(8), (room.y - height) * 0.4F)});
    ImGui::BeginChild("welcome", {width, height});
    push_font(title_font);
    ImGui::TextUnformatted("snapviewer");
    ImGui::PopFont();
    coloured_text(palette().text_dim, "Where did the GPU memory go?");
    gap(16);
    draw_ways_to_open(has_sample, requests);
    gap(20);
    draw_recent(recent_files, requests);
    draw_recording(width, requests);
    ImGui::EndChild();
}

void draw_nothing_to_draw(bool has_query_pane, Requests& requests) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float width = std::min(scaled(520), room.x - scaled(32));
    const ImVec2 corner = ImGui::GetCursorPos();
    ImGui::SetCursorPos({corner.x + (room.x - width) / 2, corner.y + std::max(scaled(8), room.y * 0.35F)});
    ImGui::BeginChild("nothing to draw", {width, std::max(scaled(60), room.y * 0.6F)});
    ImGui::TextUnformatted("There is no picture in this file");
    gap(4);
    coloured_text(palette().text_dim,
                  "The file holds no memory events and no segments, only tables, which you can query. Press Tables in the "
                  "query pane to list them.");
    if (!has_query_pane) {
        gap(8);
        if (ImGui::Button("Show the query pane")) requests.ask(RunCommand{"view_query"});
        report_rect("nothing_query");
    }
    ImGui::EndChild();
}

}  // namespace snapviewer
