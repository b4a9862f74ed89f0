#include "app/ui/data_table.h"

#include <gtest/gtest.h>

#include <string>

namespace snapviewer {
namespace {

constexpr float k_room_px = 60;

/// Positions of the glyphs of right_text() in a room of `k_room_px` that begins at 0.
struct DrawnText {
    float first_left = 0;
    float last_left = 0;
    float last_right = 0;
    float ellipsis_px = 0;
};

DrawnText draw_right_text(const std::string& text) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {400, 200};
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    ImGui::NewFrame();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({k_room_px, 100});
    ImGui::Begin("room", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
    right_text(text, IM_COL32_WHITE);
    const ImVector<ImDrawVert>& corners = ImGui::GetWindowDrawList()->VtxBuffer;
    DrawnText drawn;
    drawn.first_left = corners.front().pos.x;
    drawn.last_left = corners[corners.size() - 4].pos.x;
    drawn.last_right = corners[corners.size() - 2].pos.x;
    drawn.ellipsis_px = ImGui::CalcTextSize("…").x;
    ImGui::End();
    ImGui::PopStyleVar();
    ImGui::EndFrame();
    ImGui::DestroyContext();
    return drawn;
}

TEST(RightText, EndsWhereItsRoomEnds) {
    const DrawnText drawn = draw_right_text("8406");
    EXPECT_GT(drawn.first_left, 0);
    EXPECT_NEAR(drawn.last_right, k_room_px, 2);
}

TEST(RightText, EndsInAnEllipsisIfItIsTooWide) {
    const DrawnText drawn = draw_right_text("8406335176484063351764");
    EXPECT_NEAR(drawn.first_left, 0, 2);
    EXPECT_NEAR(drawn.last_left, k_room_px - drawn.ellipsis_px, 2);
    EXPECT_LE(drawn.last_right, k_room_px);
}

}  // namespace
}  // namespace snapviewer
