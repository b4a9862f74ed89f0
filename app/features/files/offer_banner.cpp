#include "app/features/files/offer_banner.h"

#include <imgui.h>

#include <filesystem>

#include "app/system/window_system.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

struct Offer {
    std::string text;
    const char* yes;
    const char* no;
    const char* yes_rect;
    const char* no_rect;
};

enum class Answer { none, yes, no };

Answer draw_offer(const Offer& offer) {
    Answer answer = Answer::none;
    const auto button = [&](const char* label, const char* rect, Answer meaning, float gap) {
        ImGui::SameLine(0, scaled(gap));
        if (ImGui::Button(label)) answer = meaning;
        report_rect(rect);
    };
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().notice_panel);
    ImGui::BeginChild(offer.yes_rect, {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(offer.text.c_str());
    button(offer.yes, offer.yes_rect, Answer::yes, 12);
    button(offer.no, offer.no_rect, Answer::no, 6);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    return answer;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

void draw_pair_banner(const std::string& other_path, Requests& requests) {
    // The name includes the folder, because the profiles of all ranks have the same file name, each in its own folder.
    const std::filesystem::path path(users_path(other_path));
    const std::string name = (path.parent_path().filename() / path.filename()).string();
    const std::string text = name + " was open before. The two files can be shown together.";
    switch (draw_offer({text, "Open together", "Not now", "pair_draw", "pair_dismiss"})) {
        case Answer::none: break;
        case Answer::yes: requests.ask(OpenWith{other_path}); break;
        case Answer::no: requests.ask(RunCommand{"pair_dismiss"}); break;
    }
}

void draw_reload_banner(const std::string& path, Requests& requests) {
    const std::string text = file_name(path) + " has changed on disk since it was opened.";
    switch (draw_offer({text, "Reload", "Dismiss", "reload", "reload_dismiss"})) {
        case Answer::none: break;
        case Answer::yes: requests.ask(RunCommand{"file_reload"}); break;
        case Answer::no: requests.ask(RunCommand{"reload_dismiss"}); break;
    }
}

}  // namespace snapviewer
