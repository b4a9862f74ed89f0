#include "app/picture/areas_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/features/timeline/allocation_text.h"
#include "core/base/text.h"
#include "core/mesh/mesh.h"
#include "render/timeline_renderer.h"

namespace snapviewer::picture {
namespace {

/// Coordinates are clamped to this value. Points beyond it are invisible, and SVG viewers compute with floats.
constexpr double k_farthest_px = 100'000;

}  // namespace

std::string xml_text(std::string_view text) {
    std::string written;
    std::string valid = valid_utf8(text);
    for (const char* noncharacter : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
        for (std::size_t at = 0; (at = valid.find(noncharacter, at)) != valid.npos;) valid.replace(at, 3, "?");
    }
    for (const char c : valid) {
        switch (c) {
            case '&': written += "&amp;"; break;
            case '<': written += "&lt;"; break;
            case '>': written += "&gt;"; break;
            case '"': written += "&quot;"; break;
            default: written += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return written;
}

std::string svg_number(double value) {
    std::string text = fmt::format("{:.2f}", std::clamp(value, -k_farthest_px, k_farthest_px));
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string svg_point(double x, double y) { return svg_number(x) + "," + svg_number(y); }

std::string svg_paint(const char* name, std::uint32_t colour) {
    const std::uint32_t red = colour & 0xffU, green = colour >> 8U & 0xffU, blue = colour >> 16U & 0xffU;
    const std::uint32_t alpha = colour >> 24U;
    const std::string solid = fmt::format("{}=\"#{:02x}{:02x}{:02x}\"", name, red, green, blue);
    return alpha == 0xff ? solid : solid + fmt::format(" {}-opacity=\"{}\"", name, svg_number(alpha / 255.0));
}

namespace {

// Edges and stripes as in shaders/look.glsl.
constexpr double k_edge_darkness = 0.3;
constexpr double k_edge_fade_from_px = 3, k_edge_fade_to_px = 8;
constexpr double k_stripe_shade = 0.6;
constexpr std::size_t k_edge_shades = 3;
constexpr std::size_t k_max_words = 200;  // maximum bytes of a name, because a file may contain names of any length

bool is_hatched(std::uint32_t colour) { return colour >> 24U == mesh::k_hatched_alpha; }

std::uint32_t opaque(std::uint32_t colour) { return colour | 0xff000000U; }

std::uint32_t shaded(std::uint32_t colour) {
    std::uint32_t dark = 0xff000000U;
    for (const std::uint32_t shift : {0U, 8U, 16U})
        dark |= static_cast<std::uint32_t>(std::lround((colour >> shift & 0xffU) * k_stripe_shade)) << shift;
    return dark;
}

std::string hatch_name(std::uint32_t colour) { return fmt::format("hatch-{:06x}", colour & 0xffffffU); }

/// A fill pattern of stripes, 4 pixels wide and rising to the left, for memory without recorded data.
std::string hatch_pattern(std::uint32_t colour) {
    return fmt::format(
        "<pattern id=\"{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path {} d=\"M0,0 8,0 8,8 0,8Z\"/>"
        "<path {} d=\"M4,0 8,0 8,4ZM0,0 8,8 4,8 0,4Z\"/></pattern>\n",
        hatch_name(colour), svg_paint("fill", opaque(colour)), svg_paint("fill", shaded(colour)));
}

class AreaWriter {
public:
    AreaWriter(const Timeline& timeline, const Projection& projection, std::optional<std::uint64_t> first_id)
        : timeline_(timeline), projection_(projection), first_id_(first_id) {}

    std::string write(const std::vector<mesh::PictureArea>& areas) {
        const auto& [red, green, blue] = std::array{render::k_background.r, render::k_background.g, render::k_background.b};
        const auto byte = [](float part) { return static_cast<std::uint32_t>(std::lround(part * 255)); };
        const std::uint32_t ground = 0xff000000U | byte(blue) << 16U | byte(green) << 8U | byte(red);
        std::string svg =
            fmt::format("<g id=\"allocations\" shape-rendering=\"crispEdges\">\n{}<path {} d=\"M{} {} {} {}Z\"/>\n",
                        hatch_patterns(areas), svg_paint("fill", ground), svg_point(projection_.min.x, projection_.min.y),
                        svg_point(projection_.max.x, projection_.min.y), svg_point(projection_.max.x, projection_.max.y),
                        svg_point(projection_.min.x, projection_.max.y));
        for (const mesh::PictureArea& area : areas) {
            svg += area_path(area);
            note_upper_edge(area);
        }
        return svg + upper_edges() + "</g>\n";
    }

private:
    std::string hatch_patterns(const std::vector<mesh::PictureArea>& areas) const {
        std::set<std::uint32_t> colours;
        for (const mesh::PictureArea& area : areas) {
            if (is_hatched(area.colour)) colours.insert(area.colour);
        }
        std::string svg;
        for (const std::uint32_t colour : colours) svg += hatch_pattern(colour);
        return svg;
    }

    std::string area_path(const mesh::PictureArea& area) const {
        std::string outline;
        for (const mesh::AreaPoint& point : area.points) outline += place(point.x, point.high_bytes) + ' ';
        for (auto point = area.points.rbegin(); point != area.points.rend(); ++point)
            outline += place(point->x, point->low_bytes) + ' ';
        outline.back() = 'Z';
        const std::string fill = is_hatched(area.colour) ? "fill=\"url(#" + hatch_name(area.colour) + ")\""
                                                         : svg_paint("fill", opaque(area.colour));
        if (!area.id.is_some()) return fmt::format("<path {} d=\"M{}\"/>\n", fill, outline);
        const AllocationSummary summary = summarise(timeline_, area.id);
        const std::string line = shortened(summary.own_line, k_max_words);
        const std::string words = line.empty() ? summary.size : summary.size + " · " + line;
        const std::string number = first_id_ ? fmt::format("data-allocation=\"{}\" ", *first_id_ + area.id.value) : "";
        return fmt::format("<path {}{} d=\"M{}\"><title>{}</title></path>\n", number, fill, outline, xml_text(words));
    }

    /// Adds the dark line that separates an allocation from the area above it: the uppermost pixel row of the allocation.
    void note_upper_edge(const mesh::PictureArea& area) {
        if (!area.id.is_some()) return;
        const mesh::AreaPoint& first = area.points.front();
        const double height_px = projection_.px_of_y(first.low_bytes) - projection_.px_of_y(first.high_bytes);
        const double share =
            std::clamp((height_px - k_edge_fade_from_px) / (k_edge_fade_to_px - k_edge_fade_from_px), 0.0, 1.0);
        const double darkness = share * share * (3 - 2 * share);
        const auto shade = static_cast<std::size_t>(std::lround(darkness * k_edge_shades));
        if (shade == 0) return;
        std::string& edge = edges_[shade - 1];
        edge += 'M';
        for (const mesh::AreaPoint& point : area.points)
            edge += svg_point(projection_.px_of_x(point.x), projection_.px_of_y(point.high_bytes) + 0.5) + ' ';
        edge.back() = '\n';
    }

    std::string upper_edges() const {
        std::string svg;
        for (std::size_t i = 0; i < k_edge_shades; ++i) {
            const double opacity = k_edge_darkness * static_cast<double>(i + 1) / static_cast<double>(k_edge_shades);
            if (edges_[i].empty()) continue;
            svg +=
                fmt::format("<path fill=\"none\" stroke=\"#000\" stroke-opacity=\"{}\" pointer-events=\"none\" d=\"{}\"/>\n",
                            svg_number(opacity), edges_[i]);
        }
        return svg;
    }

    std::string place(double x, double bytes) const { return svg_point(projection_.px_of_x(x), projection_.px_of_y(bytes)); }

    const Timeline& timeline_;
    const Projection& projection_;
    std::optional<std::uint64_t> first_id_;
    std::array<std::string, k_edge_shades> edges_;
};

}  // namespace

std::string areas_svg(const std::vector<mesh::PictureArea>& areas, const Timeline& timeline, const Projection& projection,
                      std::optional<std::uint64_t> first_id) {
    return AreaWriter(timeline, projection, first_id).write(areas);
}

}  // namespace snapviewer::picture
