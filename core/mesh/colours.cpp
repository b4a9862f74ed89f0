#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/hash.h"
#include "core/mesh/colour_groups.h"
#include "core/mesh/mesh.h"

namespace snapviewer {
namespace {

std::uint32_t pack(double red, double green, double blue) {
    const auto channel = [](double value) {
        return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
    };
    return 0xFF000000U | channel(blue) << 16 | channel(green) << 8 | channel(red);
}

/// Converts OKLCH to sRGB. In Björn Ottosson's OKLab colours of equal lightness look equally bright for every hue.
std::uint32_t from_oklch(double lightness, double chroma, double hue_turns) {
    const double angle = hue_turns * 2 * 3.14159265358979323846;
    const double a = chroma * std::cos(angle);
    const double b = chroma * std::sin(angle);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    const auto gamma = [](double x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055; };
    return pack(gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                gamma(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

/// Returns a muted colour. Hue, lightness and chroma all depend on the fingerprint, so that many stacks look different.
std::uint32_t colour_of_fingerprint(std::uint64_t fingerprint) {
    if (fingerprint == 0) return grey_colour();  // the allocation has no stack
    const std::uint64_t bits = mix_bits(fingerprint);
    const double hue = static_cast<double>(bits & 0xFFFF) / 65536.0;
    const double lightness = 0.58 + 0.20 * static_cast<double>(bits >> 16 & 0xFF) / 255.0;
    const double chroma = 0.075 + 0.06 * static_cast<double>(bits >> 24 & 0xFF) / 255.0;
    return from_oklch(lightness, chroma, hue);
}

/// Returns a colour from blue for small to red for large sizes, with a step per power of two between 512 B and 16 GiB.
std::uint32_t colour_of_size(std::uint64_t size_bytes) {
    const double magnitude = std::clamp((static_cast<double>(std::bit_width(size_bytes)) - 10) / 24, 0.0, 1.0);
    return from_oklch(0.55 + 0.17 * magnitude, 0.12, 0.70 + 0.38 * magnitude);
}

}  // namespace

std::uint32_t grey_colour() { return from_oklch(0.55, 0.01, 0.7); }

std::uint32_t slate_colour() { return from_oklch(0.44, 0.03, 0.7); }

std::uint32_t group_colour(std::size_t index) {
    // Steps of the golden ratio never repeat a hue. The lightness changes after every five colours.
    return from_oklch(index / 5 % 2 == 0 ? 0.68 : 0.56, 0.11, std::fmod(0.68 + 0.381966 * static_cast<double>(index), 1.0));
}

std::uint32_t category_colour(std::string_view name, std::size_t index) {
    if (name == "weight") return from_oklch(0.60, 0.11, 0.42);
    if (name == "gradient") return from_oklch(0.75, 0.10, 0.40);
    if (name == "activation") return from_oklch(0.64, 0.10, 0.68);
    return name == "untracked" ? grey_colour() : group_colour(index);
}

ColourBy first_colouring(const Snapshot& snapshot, ColourBy wanted) {
    return snapshot.kind == FileKind::memory_report ? ColourBy::category : wanted;
}

namespace {

/// Returns a colour on a logarithmic scale of lifetimes, from one alloc or free (blue) to the whole recording (red).
std::uint32_t colour_of_age(const Timeline& timeline, AllocationId id) {
    const double life = timeline.last_tick(id) - timeline.first_tick(id) + 1;
    const double part = std::log2(life) / std::max(1.0, std::log2(timeline.tick_count()));
    return from_oklch(0.55 + 0.17 * part, 0.12, 0.70 + 0.38 * std::min(part, 1.0));
}

/// Returns one of three shades of a colour, in turn, so that neighbouring allocations of a stack look different.
std::uint32_t shaded(std::uint32_t colour, std::size_t index) {
    static constexpr std::array<std::uint32_t, 3> k_parts = {256, 244, 232};
    std::uint32_t out = colour & 0xFF000000U;
    for (std::uint32_t shift = 0; shift < 24; shift += 8)
        out |= ((colour >> shift & 0xFF) * k_parts[index % 3] / 256) << shift;
    return out;
}

/// The colours of all possible bit widths of a size. Many allocations share these few colours.
std::vector<std::uint32_t> size_colours() {
    std::vector<std::uint32_t> colours = {colour_of_size(0)};
    for (int bit = 0; bit < 64; ++bit) colours.push_back(colour_of_size(std::uint64_t{1} << bit));
    return colours;
}

}  // namespace

bool is_hatched(Origin origin) { return origin == Origin::derived || origin == Origin::unplaced; }

std::vector<std::uint32_t> stack_colours(const Snapshot& snapshot) {
    std::vector<std::uint32_t> colours;
    for (std::uint32_t i = 0; i < snapshot.stacks.stack_count(); ++i)
        colours.push_back(colour_of_fingerprint(stack_fingerprint(snapshot.strings, snapshot.stacks, StackId{i})));
    colours.push_back(colour_of_fingerprint(0));
    return colours;
}

AllocationColours::AllocationColours(const Timeline& timeline, ColourBy by, const ColourGroups& groups)
    : timeline_(timeline), allocations_(timeline.trace().allocations), by_(by) {
    if (!groups.groups.empty()) {
        group_of_ = groups.group_of;
        for (const ColourGroup& group : groups.groups) palette_.push_back(group.colour);
    } else if (by == ColourBy::stack) {
        palette_ = stack_colours(timeline.snapshot());
    } else if (by == ColourBy::size) {
        palette_ = size_colours();
    }
}

AllocationColours::AllocationColours(const Timeline& timeline, std::vector<std::uint32_t> of_stacks)
    : timeline_(timeline),
      allocations_(timeline.trace().allocations),
      by_(ColourBy::stack),
      palette_(std::move(of_stacks)) {}

std::uint32_t AllocationColours::full_colour(AllocationId id) const {
    const std::size_t i = id.value;
    if (!group_of_.empty()) return shaded(palette_[group_of_[i]], i);
    switch (by_) {
        case ColourBy::stack: {
            const StackId stack = allocations_.stack[i];
            return shaded(stack.is_some() ? palette_[stack.value] : palette_.back(), i);
        }
        case ColourBy::size: return palette_[static_cast<std::size_t>(std::bit_width(allocations_.size_bytes[i]))];
        case ColourBy::age: return colour_of_age(timeline_, id);
        case ColourBy::stream:
        case ColourBy::pool:
        case ColourBy::category:
        case ColourBy::module:
        case ColourBy::kind: return grey_;
    }
    return grey_;
}

std::uint32_t AllocationColours::of(AllocationId id) const {
    const std::uint32_t colour = full_colour(id);
    return is_hatched(allocations_.origin[id.value]) ? (colour & 0x00FFFFFFU) | k_hatched_alpha << 24 : colour;
}

std::vector<std::uint32_t> AllocationColours::all() const {
    std::vector<std::uint32_t> colours(allocations_.size());
    for (std::uint32_t i = 0; i < colours.size(); ++i) colours[i] = of(AllocationId{i});
    return colours;
}

std::vector<std::uint32_t> allocation_colours(const Timeline& timeline, ColourBy by) {
    const ColourGroups groups = colour_groups(timeline, by);
    return AllocationColours(timeline, by, groups).all();
}

}  // namespace snapviewer
