#include "app/shell/status_bar.h"

#include <imgui.h>

#include <algorithm>

#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

void draw_text(ImVec2 pos, ImU32 colour, const std::string& text) {
    ImGui::GetWindowDrawList()->AddText(pos, colour, text.c_str());
}

}  // namespace

void draw_status_bar(const StatusLine& line) {
    const ImVec2 pos = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    const float margin = scaled(12);
    const float gap = scaled(28);
    const float top = pos.y + (size.y - ImGui::GetTextLineHeight()) / 2;
    const ImVec2 end(pos.x + size.x, pos.y + size.y);
    ImDrawList* list = ImGui::GetWindowDrawList();

    float right = end.x - margin;
    if (!line.frame_time.empty()) {
        right -= std::max(ImGui::CalcTextSize(line.frame_time.c_str()).x, scaled(64));
        draw_text({right, top}, palette().text_faint, line.frame_time);
        report_rect("frame_time", right, top, end.x - margin, end.y);
        right -= gap / 2;
    }

    list->PushClipRect(pos, {right, end.y}, true);
    draw_text({pos.x + margin, top}, palette().text_dim, line.file);
    const float cursor_left = pos.x + margin + ImGui::CalcTextSize(line.file.c_str()).x + (line.file.empty() ? 0 : gap);
    const bool has_notice = !line.notice.empty();
    draw_text({cursor_left, top}, has_notice ? palette().notice : palette().text, has_notice ? line.notice : line.cursor);
    list->PopClipRect();
}

}  // namespace snapviewer
