#include "app/features/timeline/note_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/result_grid.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_pole_px = 16;
constexpr float k_cloth_px = 11;
constexpr std::size_t k_words_bytes = 80;

struct FlagBox {
    ImVec2 foot, min, max;
};

/// Returns the rectangle of a flag; nullopt if its place is out of view.
std::optional<FlagBox> box_of(const NoteFlag& flag, const Projection& canvas) {
    const glm::dvec2 px = canvas.px_of({flag.x, flag.bytes});
    if (px.x < static_cast<double>(canvas.min.x) || px.x > static_cast<double>(canvas.max.x) ||
        px.y < static_cast<double>(canvas.min.y) || px.y > static_cast<double>(canvas.max.y))
        return std::nullopt;
    const ImVec2 foot(std::round(static_cast<float>(px.x)), std::round(static_cast<float>(px.y)));
    return FlagBox{foot, {foot.x - scaled(2), foot.y - scaled(k_pole_px)}, {foot.x + scaled(k_cloth_px), foot.y}};
}

}  // namespace

std::optional<std::size_t> note_under(std::span<const NoteFlag> flags, const Projection& canvas, ImVec2 mouse) {
    for (std::size_t i = flags.size(); i-- > 0;) {
        const std::optional<FlagBox> box = box_of(flags[i], canvas);
        if (box && mouse.x >= box->min.x && mouse.x <= box->max.x && mouse.y >= box->min.y && mouse.y <= box->max.y)
            return i;
    }
    return std::nullopt;
}

void draw_note_flags(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas,
                     std::optional<std::size_t> hovered) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::optional<FlagBox> box = box_of(flags[i], canvas);
        if (!box) continue;
        const ImU32 cloth = hovered == i ? palette().selection : palette().notice;
        const float top = box->min.y;
        const ImVec2 tip(box->max.x, top + scaled(k_cloth_px) * 0.45F);
        const float low = top + scaled(k_cloth_px) * 0.9F;
        list->AddLine({box->foot.x, top}, box->foot, palette().selection_shadow | IM_COL32_A_MASK, scaled(3));
        list->AddTriangleFilled({box->foot.x, top - scaled(1)}, {tip.x + scaled(1), tip.y}, {box->foot.x, low + scaled(1)},
                                palette().selection_shadow | IM_COL32_A_MASK);
        list->AddLine({box->foot.x, top}, box->foot, cloth, scaled(1.5F));
        list->AddTriangleFilled({box->foot.x, top}, tip, {box->foot.x, low}, cloth);
        report_rect(fmt::format("note_{}", i), box->min.x, box->min.y, box->max.x, box->max.y);
    }
}

void draw_note_words(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas) {
    for (const NoteFlag& flag : flags) {
        const std::optional<FlagBox> box = box_of(flag, canvas);
        if (!box) continue;
        const std::string words = one_line(flag.text, k_words_bytes);
        const ImVec2 size = ImGui::CalcTextSize(words.c_str());
        const float right = std::min(box->max.x + scaled(6) + size.x, canvas.max.x - scaled(4));
        const ImVec2 pos(std::max(canvas.min.x, right - size.x), box->min.y - scaled(3));
        list->AddRectFilled({pos.x - scaled(4), pos.y - scaled(1)}, {pos.x + size.x + scaled(4), pos.y + size.y + scaled(1)},
                            with_alpha(palette().panel, 0xd8), scaled(3));
        list->AddText(pos, palette().text, words.c_str());
    }
}

}  // namespace snapviewer
