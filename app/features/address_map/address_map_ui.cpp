#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/features/address_map/address_map.h"
#include "app/features/timeline/allocation_text.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/mesh/colours.h"

namespace snapviewer::address_map {
namespace {

constexpr float k_line_px = 13;
constexpr float k_between_lines_px = 4;
constexpr float k_gap_px = 4;  ///< horizontal gap between two segments of the address map
constexpr float k_names_px = 190;
constexpr float k_hatched_px = 5;  ///< minimum width of a hatched hole of the address map; narrower holes are drawn plain
constexpr double k_max_zoom = 4096;
constexpr double k_zoom_per_step = 1.5;
constexpr ImU32 k_unknown = IM_COL32(0x80, 0x84, 0x8c, 0xff);  ///< colour of a block whose allocation is not in the file

float line_pitch() { return scaled(k_line_px + k_between_lines_px); }

/// Geometry of the lines of the address map in the current frame.
struct Page {
    ImVec2 origin;  ///< position of the first line of the address map, after scrolling
    float width_px = 0;
    double px_per_byte = 0;
    std::size_t first_line = 0, end_line = 0;  ///< range of the address map's lines that are on the screen

    float top_of(std::size_t line) const { return origin.y + static_cast<float>(line) * line_pitch(); }
    float px_of(std::uint64_t bytes) const { return static_cast<float>(static_cast<double>(bytes) * px_per_byte); }
};

std::string group_name(const space::AddressMapGroup& group, const space::AddressSpace& space) {
    const space::AddressFacts& facts = space.facts();
    const auto& streams = facts.snapshot.streams;
    const std::string stream =
        group.traits.stream < streams.size() ? fmt::format("stream {}", streams[group.traits.stream]) : "stream ?";
    const std::string pool =
        facts.pools.is_private(group.traits.pool) ? "pool " + facts.pools.text(group.traits.pool) + ", " : "";
    return fmt::format("{}{}, {}{}", pool, stream, group.traits.is_small ? "small" : "large",
                       group.traits.is_expandable ? ", expandable" : "");
}

/// Updates the layout of the lines if the moment, the zoom or the size of the panel has changed.
void fit(AddressMapState& state, float width_px, std::size_t lines) {
    if (state.drawn_version == state.version && state.drawn_zoom == state.zoom && state.drawn_width_px == width_px &&
        state.drawn_lines == lines)
        return;
    const space::PoolNames& pools = state.space->facts().pools;
    const double gap_share = static_cast<double>(scaled(k_gap_px) / width_px);
    const auto most_lines = static_cast<std::size_t>(std::ceil(static_cast<double>(lines) * state.zoom));
    const std::uint64_t line_bytes = space::fitting_line_bytes(*state.fullest, pools, most_lines, gap_share);
    const auto gap_bytes = static_cast<std::uint64_t>(static_cast<double>(line_bytes) * gap_share);
    state.map = space::lay_out_address_map(state.at, pools, line_bytes, gap_bytes);
    state.group_names.clear();
    for (const space::AddressMapGroup& group : state.map.groups)
        state.group_names.push_back(group_name(group, *state.space));
    state.drawn_version = state.version;
    state.drawn_zoom = state.zoom;
    state.drawn_width_px = width_px;
    state.drawn_lines = lines;
}

/// Draws the pieces of the address map's lines on the screen.
class PagePainter {
public:
    PagePainter(const AddressMapState& state, const AddressMapScene& scene, const Page& page)
        : state_(state), scene_(scene), page_(page), list_(ImGui::GetWindowDrawList()) {}

    void draw() {
        for (std::size_t line = page_.first_line; line < page_.end_line; ++line) {
            const space::AddressMapLine& each = state_.map.lines[line];
            for (std::uint32_t i = 0; i < each.piece_count; ++i)
                draw_piece(state_.map.pieces[each.first_piece + i], page_.top_of(line));
        }
        for (const auto& [min, max, colour] : outlines_) list_->AddRect(min, max, colour, 0, 0, scaled(2));
    }

private:
    struct OutlinedBox {
        ImVec2 min, max;
        ImU32 colour;
    };

    void draw_piece(const space::AddressMapPiece& piece, float top) {
        left_ = page_.origin.x + page_.px_of(piece.offset_bytes);
        piece_ = &piece;
        top_ = top;
        const ImVec2 min(left_, top);
        const ImVec2 max(std::max(x_of(piece.end), left_ + 1), top + scaled(k_line_px));
        list_->AddRectFilled(min, max, palette().raised);
        const auto blocks = state_.at.blocks_of(state_.at.ranges[piece.range]);
        auto block = std::ranges::partition_point(blocks, [&](const space::AddressMoment::Block& each) {
            return space::end_address(each.address, each.size_bytes) <= piece.begin;
        });
        float filled_to = left_;
        for (; block != blocks.end() && block->address < piece.end; ++block) filled_to = draw_block(*block, filled_to);
        draw_hole(filled_to, max.x);
        list_->AddRect(min, max, palette().border);
    }

    float x_of(std::uint64_t address) const {
        const std::uint64_t at = std::clamp(address, piece_->begin, piece_->end);
        return left_ + page_.px_of(at - piece_->begin);
    }

    /// Draws a block, or skips it if its column of pixels is already filled up to `filled_to`.
    float draw_block(const space::AddressMoment::Block& block, float filled_to) {
        const float from = x_of(block.address);
        const float to = std::max(x_of(space::end_address(block.address, block.size_bytes)), from + 1);
        add_outline(block, from, to);
        if (to <= filled_to) return filled_to;
        draw_hole(filled_to, from);
        const ImVec2 min(std::max(from, filled_to), top_);
        const ImVec2 max(to, top_ + scaled(k_line_px));
        list_->AddRectFilled(min, max, colour_of(block));
        observe_item(block_name_, min.x, min.y, max.x, max.y);
        if (block.is_pending && to - from > 3) draw_stripes(list_, min, max, k_stripe_ink);
        return to;
    }

    void draw_hole(float from, float to) {
        if (to - from < scaled(k_hatched_px)) return;
        const ImVec2 min(from, top_);
        const ImVec2 max(to, top_ + scaled(k_line_px));
        draw_stripes(list_, min, max, with_alpha(palette().text_faint, 0x50));
        observe_item(free_name_, min.x, min.y, max.x, max.y);
    }

    ImU32 colour_of(const space::AddressMoment::Block& block) const {
        const auto index = static_cast<std::size_t>(&block - state_.at.blocks.data());
        const std::uint32_t colour = index < state_.colours.size() ? state_.colours[index] : 0;
        if (colour == 0) return k_unknown;
        const bool stands_out = state_.highlight == nullptr || state_.highlight->contains(block.allocation);
        return with_alpha(stands_out ? colour : mesh::greyed(colour, palette().ground), 0xff);
    }

    void add_outline(const space::AddressMoment::Block& block, float from, float to) {
        const OutlinedBox box{{from - 1, top_ - 1}, {to + 1, top_ + scaled(k_line_px) + 1}, palette().selection};
        if (scene_.selected.is_some() && block.allocation == scene_.selected) outlines_.push_back(box);
        if (scene_.marked == block.address) outlines_.push_back({box.min, box.max, palette().danger});
        if (!state_.hole || std::ranges::find(state_.hole->pins, block.address) == state_.hole->pins.end()) return;
        outlines_.push_back({box.min, box.max, palette().danger});
    }

    const AddressMapState& state_;
    const AddressMapScene& scene_;
    const Page& page_;
    ImDrawList* list_;
    std::vector<OutlinedBox> outlines_;
    const std::string block_name_ = std::string(scene_.name) + "_block", free_name_ = std::string(scene_.name) + "_free";
    const space::AddressMapPiece* piece_ = nullptr;  ///< the piece of a line that is being drawn
    float left_ = 0, top_ = 0;                       ///< left and top of the piece that is being drawn
};

void draw_group_names(const AddressMapState& state, const Page& page, float left) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < state.map.groups.size(); ++i) {
        const space::AddressMapGroup& group = state.map.groups[i];
        const std::size_t end =
            i + 1 < state.map.groups.size() ? state.map.groups[i + 1].first_line : state.map.lines.size();
        if (end <= page.first_line || group.first_line >= page.end_line) continue;
        // If the first line of the group is scrolled out of view, its name moves to its first visible line.
        const std::size_t line = std::max<std::size_t>(group.first_line, page.first_line);
        const ImVec2 pos(left, page.top_of(line) - scaled(2));
        const float right = page.origin.x - scaled(8);
        draw_cut_text(list, pos, right, palette().text_dim, state.group_names[i]);
        const std::string amount =
            fmt::format("{} in {}", format_bytes(group.reserved_bytes), counted(group.range_count, "segment"));
        if (line + 1 < end) draw_cut_text(list, {pos.x, pos.y + line_pitch()}, right, palette().text_faint, amount);
        if (is_mouse_at({pos, {right, pos.y + line_pitch()}}))
            item_tooltip(fmt::format("{}\n{}", state.group_names[i], amount));
    }
}

/// The block or hole under the mouse.
struct Hovered {
    space::AddressMapPiece piece;
    std::uint64_t address = 0;
    space::AddressSpot spot;
};

std::optional<Hovered> hovered_at(const AddressMapState& state, const Page& page, ImVec2 mouse) {
    const float down = (mouse.y - page.origin.y) / line_pitch();
    const auto line = static_cast<std::size_t>(std::max(0.0F, down));
    if (down < 0 || line >= state.map.lines.size() || mouse.x < page.origin.x) return std::nullopt;
    const space::AddressMapLine& each = state.map.lines[line];
    for (std::uint32_t i = 0; i < each.piece_count; ++i) {
        const space::AddressMapPiece& piece = state.map.pieces[each.first_piece + i];
        const float left = page.origin.x + page.px_of(piece.offset_bytes);
        if (mouse.x < left || mouse.x > std::max(left + 1, left + page.px_of(piece.end - piece.begin))) continue;
        const auto bytes = static_cast<std::uint64_t>(static_cast<double>(mouse.x - left) / page.px_per_byte);
        const std::uint64_t address = piece.begin + std::min(bytes, piece.end - piece.begin - 1);
        return Hovered{piece, address, space::spot_at(state.at, piece.range, address)};
    }
    return std::nullopt;
}

void show_tooltip(const AddressMapState& state, const AddressMapScene& scene, const Hovered& hovered) {
    const space::AddressMoment::Range& range = state.at.ranges[hovered.piece.range];
    std::string text;
    if (hovered.spot.block) {
        const space::AddressMoment::Block& block = state.at.blocks[*hovered.spot.block];
        text = format_bytes(block.size_bytes) + fmt::format(" at 0x{:x}", block.address);
        if (block.is_pending) text += "\nfreed, but another stream may still use it";
        if (!block.allocation.is_some()) text += "\nThe file does not say what it belongs to";
        if (block.allocation.is_some() && scene.shows_allocations)
            text += "\n" + summarise(scene.timeline, block.allocation).own_line;
    } else {
        text = format_bytes(hovered.spot.hole.size_bytes()) +
               fmt::format(" idle at 0x{:x}{}", hovered.spot.hole.begin,
                           scene.is_still ? "" : "\nClick to see what keeps it from the driver");
    }
    text += fmt::format("\nin a segment of {} at 0x{:x}, with {}", format_bytes(range.range.size_bytes), range.range.address,
                        counted(range.block_count, "block"));
    mouse_tooltip(text);
}

void follow_click(AddressMapState& state, const AddressMapScene& scene, const Hovered& hovered, Requests& requests) {
    if (!hovered.spot.block) {
        state.hole_asked_for = hovered.address;
        state.is_hole_low = ImGui::GetIO().MousePos.y > ImGui::GetWindowPos().y + ImGui::GetWindowHeight() / 2;
        return;
    }
    state.hole.reset();
    const AllocationId allocation = state.at.blocks[*hovered.spot.block].allocation;
    if (!scene.shows_allocations || !allocation.is_some()) return;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
        requests.ask(RevealAllocation{allocation});
    else
        requests.ask(SelectAllocation{allocation});
}

void follow_wheel(AddressMapState& state, bool is_still) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheel == 0) return;
    if (io.KeyCtrl)
        state.zoom = std::clamp(state.zoom * std::pow(k_zoom_per_step, static_cast<double>(io.MouseWheel)), 1.0, k_max_zoom);
    else if (!is_still || ImGui::GetScrollMaxY() > 0)
        ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * 3 * line_pitch());
}

void draw_zoom_button(AddressMapState& state, const char* words, const char* rect, double factor) {
    if (ImGui::SmallButton(words)) state.zoom = std::clamp(state.zoom * factor, 1.0, k_max_zoom);
    observe_item(rect);
    if (ImGui::IsItemHovered()) item_tooltip("Zoom: Ctrl+wheel");
}

void draw_head(AddressMapState& state) {
    const float controls_px = scaled(150);
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    draw_cut_text(ImGui::GetWindowDrawList(), {pos.x, pos.y + scaled(2)}, right - controls_px - scaled(8), palette().text,
                  state.title);
    if (is_mouse_at({pos, {right - controls_px, pos.y + ImGui::GetTextLineHeight()}})) item_tooltip(state.title);
    ImGui::SetCursorScreenPos({right - controls_px, pos.y});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(4), scaled(1)});
    ImGui::Checkbox("Hold", &state.is_held);
    observe_item("map_hold");
    if (ImGui::IsItemHovered()) item_tooltip("Keep this moment while the pointer moves over the picture");
    ImGui::SameLine();
    draw_zoom_button(state, " - ", "map_farther", 1 / k_zoom_per_step);
    ImGui::SameLine();
    draw_zoom_button(state, " + ", "map_nearer", k_zoom_per_step);
    ImGui::PopStyleVar();
}

/// Draws the blocks that pin the chosen hole. The text covers the half of the panel that was not clicked, so that no line
/// moves.
void draw_chosen_hole(const ChosenHole& hole, bool is_at_top, ImVec2 corner, ImVec2 room) {
    const ImVec2 padding(scaled(8), scaled(6));
    float height = 2 * padding.y;
    for (const std::string& sentence : hole.sentences)
        height += ImGui::CalcTextSize(sentence.c_str(), nullptr, false, room.x - 2 * padding.x).y +
                  ImGui::GetStyle().ItemSpacing.y;
    height = std::min(height, room.y);
    ImGui::SetCursorScreenPos({corner.x, is_at_top ? corner.y : corner.y + room.y - height});
    ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(palette().popup));
    ImGui::PushStyleColor(ImGuiCol_Border, to_vec4(palette().border));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::BeginChild("hole", {room.x, height}, true);
    for (const std::string& sentence : hole.sentences) ImGui::TextWrapped("%s", sentence.c_str());
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
    observe_item("map_hole");
}

Page page_of(const AddressMapState& state, ImVec2 top_left, float names_px, float width_px, float height_px) {
    Page page;
    page.origin = {top_left.x + names_px, top_left.y + scaled(2)};
    page.width_px = width_px;
    page.px_per_byte = static_cast<double>(width_px) / static_cast<double>(state.map.line_bytes);
    const float scrolled = ImGui::GetScrollY();
    page.first_line = std::min(state.map.lines.size(), static_cast<std::size_t>(scrolled / line_pitch()));
    page.end_line = std::min(state.map.lines.size(), static_cast<std::size_t>((scrolled + height_px) / line_pitch()) + 1);
    return page;
}

}  // namespace

void draw_address_lines(AddressMapState& state, const AddressMapScene& scene, Requests& requests) {
    ImGui::BeginChild("map body", {0, 0}, 0, ImGuiWindowFlags_NoScrollWithMouse);
    const float height_px = ImGui::GetWindowHeight();
    const float avail_px = ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize;
    const float names_px = std::min(scaled(k_names_px), avail_px * 0.3F);
    const float width_px = std::max(scaled(40), avail_px - names_px - scaled(6));
    fit(state, width_px, static_cast<std::size_t>(std::max(1.0F, (height_px - scaled(4)) / line_pitch())));

    const ImVec2 top_left = ImGui::GetCursorScreenPos();
    const float all_px = static_cast<float>(state.map.lines.size()) * line_pitch() + scaled(4);
    click_area("lines", {avail_px, std::max(all_px, 1.0F)});
    const bool is_hovered = ImGui::IsItemHovered();
    const bool is_clicked = ImGui::IsItemActivated();
    const Page page = page_of(state, top_left, names_px, width_px, height_px);
    observe_item(scene.name, page.origin.x, ImGui::GetWindowPos().y, page.origin.x + width_px,
                 ImGui::GetWindowPos().y + height_px);
    PagePainter(state, scene, page).draw();
    draw_group_names(state, page, top_left.x + scaled(2));
    if (is_hovered) {
        follow_wheel(state, scene.is_still);
        if (const auto hovered = hovered_at(state, page, ImGui::GetIO().MousePos)) {
            show_tooltip(state, scene, *hovered);
            if (is_clicked && !scene.is_still) follow_click(state, scene, *hovered, requests);
        }
    }
    ImGui::EndChild();
}

void AddressMaps::draw(Requests& requests) {
    if (!state_.why_empty.empty() || state_.space == nullptr) {
        wrapped_text(palette().text_dim, state_.why_empty);
        return;
    }
    draw_head(state_);
    const ImVec2 corner = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const bool is_of_picture = session_.current_kind() == ViewKind::allocations && session_.shown_icicle() == nullptr;
    const AllocationId selected = is_of_picture ? session_.selected() : AllocationId::none();
    draw_address_lines(state_, {*session_.current_timeline(), selected, is_of_picture}, requests);
    if (state_.hole) draw_chosen_hole(*state_.hole, state_.is_hole_low, corner, room);
}

void AddressMaps::draw_panel(const Area& area, Requests& requests) {
    begin_panel("Address map", area, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    if (session_.current_timeline() != nullptr) draw(requests);
    ImGui::End();
}

}  // namespace snapviewer::address_map
