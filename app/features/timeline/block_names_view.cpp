#include "app/features/timeline/block_names_view.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_name_padding_px = 5;
constexpr ImU32 k_name_alpha = 0xd0;
constexpr ImU32 k_ground_on_hatching = IM_COL32(0xff, 0xff, 0xff, 0x70);
/// Blocks too narrow for this text get no name.
constexpr const char* k_shortest_name = "9.9 GiB";

float least_name_height() { return ImGui::GetTextLineHeight() + scaled(1); }

/// Returns the most detailed text that fits; empty if not even the size fits.
std::string longest_that_fits(const NamedBlock& block, float width_px) {
    std::vector<std::string> texts;
    if (!block.name.empty() && !block.place.empty()) texts.push_back(block.name + "  " + block.place + "  " + block.size);
    if (!block.name.empty()) texts.push_back(block.name + "  " + block.size);
    texts.push_back(block.size);
    for (std::string& text : texts) {
        if (ImGui::CalcTextSize(text.c_str()).x <= width_px) return std::move(text);
    }
    return "";
}

struct PixelRoom {
    float left, top, right, bottom;
};

/// Returns the part of a block's box that is on the canvas, in pixels.
PixelRoom on_canvas(const View& room, const Projection& canvas) {
    const glm::dvec2 low = canvas.px_of({room.x_begin, room.y_begin});
    const glm::dvec2 high = canvas.px_of({room.x_end, room.y_end});
    const auto within = [](double px, float from, float to) {
        return static_cast<float>(std::clamp(px, static_cast<double>(from), static_cast<double>(to)));
    };
    return {within(low.x, canvas.min.x, canvas.max.x), within(high.y, canvas.min.y, canvas.max.y),
            within(high.x, canvas.min.x, canvas.max.x), within(low.y, canvas.min.y, canvas.max.y)};
}

bool overlap(const WrittenName& a, const WrittenName& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

std::optional<WrittenName> place_name(const NamedBlock& block, const Projection& projection) {
    const PixelRoom room = on_canvas(block.block.room, projection);
    const bool is_in_view = room.left < projection.max.x && room.right > projection.min.x;
    if (!is_in_view || room.bottom - room.top < least_name_height()) return std::nullopt;
    const float padding = scaled(k_name_padding_px);
    const float width = room.right - room.left - 2 * padding;
    WrittenName name{
        block.block.id, block.is_layer ? block.name + "  " + block.size : longest_that_fits(block, width), {}, {}};
    if (name.text.empty()) return std::nullopt;
    const ImVec2 size = ImGui::CalcTextSize(name.text.c_str());
    float left = room.left + padding;
    // A layer that is too narrow for its name gets it beside the layer.
    if (size.x > width) left = room.right + 2 * padding;
    if (left + size.x > projection.max.x) left = room.left - 2 * padding - size.x;
    name.min = {std::round(left), std::round((room.top + room.bottom - size.y) / 2)};
    name.max = {name.min.x + size.x, name.min.y + size.y};
    return name;
}

}  // namespace

RoomWanted room_for_names(const Projection& canvas) {
    const float least_width = ImGui::CalcTextSize(k_shortest_name).x + 2 * scaled(k_name_padding_px);
    return {canvas.width_px(), canvas.height_px(), static_cast<double>(least_width),
            static_cast<double>(least_name_height())};
}

std::vector<WrittenName> draw_block_names(ImDrawList* list, const NamedBlocks& names, const Projection& projection,
                                          const Emphasis* emphasis) {
    std::vector<WrittenName> written;
    std::vector<WrittenName> layers;
    list->PushClipRect(projection.min, projection.max, true);
    for (const NamedBlock& block : names.blocks) {
        if (emphasis != nullptr && (block.is_layer || !emphasis->contains(block.block.id))) continue;
        std::optional<WrittenName> name = place_name(block, projection);
        if (!name || std::ranges::any_of(layers, [&](const WrittenName& layer) { return overlap(layer, *name); })) continue;
        if (block.is_layer) {
            const ImVec2 around(scaled(k_name_padding_px), 0);
            list->AddRectFilled({name->min.x - around.x, name->min.y}, {name->max.x + around.x, name->max.y},
                                with_alpha(palette().canvas, 0xb0), scaled(3));
            layers.push_back(*name);
        } else if (block.is_hatched) {
            list->AddRectFilled({name->min.x - scaled(2), name->min.y}, {name->max.x + scaled(2), name->max.y},
                                k_ground_on_hatching, scaled(2));
        }
        list->AddText(name->min, block.is_layer ? palette().text : with_alpha(k_ink, k_name_alpha), name->text.c_str());
        written.push_back(*std::move(name));
    }
    list->PopClipRect();
    return written;
}

}  // namespace snapviewer
