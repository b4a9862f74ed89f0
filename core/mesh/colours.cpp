#include "core/mesh/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/base/budget.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/modules.h"
#include "core/trace/segments.h"

namespace snapviewer::mesh {
namespace {

constexpr std::uint32_t k_no_key = 0xFFFFFFFF;

std::uint32_t category_of(const Timeline& timeline, std::uint32_t allocation) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const EventId alloc = allocations.alloc_event[allocation];
    const EventId event = alloc.is_some() ? alloc : allocations.free_event[allocation];
    const auto& metadata = timeline.trace().events.metadata;
    if (!event.is_some() || event.value >= metadata.size() || !metadata[event.value].is_some()) return k_no_key;
    const StringId category = timeline.snapshot().metadata[metadata[event.value].value].category;
    return category.is_some() && !timeline.snapshot().strings.view(category).empty() ? category.value : k_no_key;
}

/// Returns the value by which allocations are grouped, before the groups are numbered.
std::uint32_t key_of(const Timeline& timeline, ColourBy by, std::uint32_t allocation) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    switch (by) {
        case ColourBy::stream: return allocations.stream[allocation];
        case ColourBy::pool: return allocations.pool[allocation] == k_no_pool ? k_no_key : allocations.pool[allocation];
        case ColourBy::category: return category_of(timeline, allocation);
        default: return k_no_key;
    }
}

std::string pool_name(const Snapshot& snapshot, std::uint32_t pool) {
    const auto [first, second] = snapshot.pools[pool];
    return first == 0 && second == 0 ? "default pool" : fmt::format("pool ({}, {})", first, second);
}

std::string name_of(const Snapshot& snapshot, ColourBy by, std::uint32_t key) {
    switch (by) {
        case ColourBy::stream: return fmt::format("stream {}", stream_number(snapshot, static_cast<std::uint16_t>(key)));
        case ColourBy::pool: return key == k_no_key ? "unknown pool" : pool_name(snapshot, key);
        case ColourBy::category:
            return key == k_no_key ? "no category"
                                   : shortened(snapshot.strings.view(StringId{key}), limits::k_max_source_bytes);
        default: return "";
    }
}

bool has_names(ColourBy by) { return by == ColourBy::stream || by == ColourBy::pool || by == ColourBy::category; }

/// A module of the level that the legend shows. It represents the modules below it.
struct ShownModule {
    std::uint32_t module = 0;
    std::size_t hue = 0;      ///< place in the tree, so that neighbouring modules look different
    std::size_t count = 0;    ///< number of allocations that are shown as this module
    std::uint64_t bytes = 0;  ///< total size of the allocations that are shown as this module and are live at the peak
};

/// Returns the modules with allocations, the largest at the peak first, and at most as many as there are distinct colours.
/// `shown_as` contains for each module the one whose colour it gets.
std::vector<ShownModule> modules_with_colours(const Modules& modules, const ModuleTotals& totals,
                                              std::span<const std::uint32_t> shown_as) {
    std::vector<ShownModule> all(modules.nodes.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[shown_as[i]].bytes += totals.own[i].total();
    for (const ModuleOfAllocation& of : modules.of) {
        if (of.module != k_no_module) ++all[shown_as[of.module]].count;
    }
    std::vector<ShownModule> listed;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].count > 0) listed.push_back({i, listed.size(), all[i].count, all[i].bytes});
    }
    std::ranges::stable_sort(listed, std::greater<>(),
                             [](const ShownModule& each) { return std::pair(each.bytes, each.count); });
    if (listed.size() > k_max_informative_modules) listed.resize(k_max_informative_modules);
    return listed;
}

/// Returns the groups of colouring by module, on the level of the module tree that informative_depth() chooses for the peak.
/// If there are more than 128 modules, only the largest have their own colours. O(allocations + modules).
ColourGroups module_groups(const Timeline& timeline) {
    const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const std::uint32_t depth = informative_depth(modules, totals);
    std::vector<std::uint32_t> shown_as;
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) shown_as.push_back(modules.within(i, depth));
    ColourGroups found;
    const auto add = [&found](std::uint32_t& number, std::string name, std::uint32_t colour) {
        number = static_cast<std::uint32_t>(found.groups.size());
        found.groups.push_back({std::move(name), colour, 0, 0});
    };
    std::vector<std::uint32_t> number_of(modules.nodes.size(), k_no_key);
    for (const ShownModule& each : modules_with_colours(modules, totals, shown_as))
        add(number_of[each.module],
            each.module == 0 ? "the model itself" : shortened(modules.path(each.module), limits::k_max_source_bytes),
            group_colour(each.hue));
    std::uint32_t others = k_no_key;
    std::uint32_t none = k_no_key;
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    found.group_of.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t module = modules.empty() ? k_no_module : modules.of[i].module;
        std::uint32_t& number = module == k_no_module ? none : number_of[shown_as[module]];
        if (number == k_no_key && module == k_no_module) add(none, "no module", grey_colour());
        if (number == k_no_key && others == k_no_key) add(others, "other modules", slate_colour());
        if (number == k_no_key) number = others;
        found.group_of.push_back(number);
        ++found.groups[number].count;
    }
    count_live_bytes(found, timeline, timeline.peak_tick());
    return found;
}

}  // namespace

ColourGroups colour_groups(const Timeline& timeline, ColourBy by) {
    ColourGroups found;
    if (by == ColourBy::module) return module_groups(timeline);
    if (!has_names(by)) return found;
    // Groups are in the order of the file's tables, so that a stream has the same row in every picture of the file.
    std::map<std::uint32_t, std::size_t> counts;
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    for (std::uint32_t i = 0; i < count; ++i) ++counts[key_of(timeline, by, i)];
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const auto& [key, allocations] : counts) {
        numbers[key] = static_cast<std::uint32_t>(found.groups.size());
        const std::size_t hue = by == ColourBy::stream ? stream_number(timeline.snapshot(), static_cast<std::uint16_t>(key))
                                                       : found.groups.size();
        const std::string name = name_of(timeline.snapshot(), by, key);
        const std::uint32_t known = by == ColourBy::category ? category_colour(name, hue) : group_colour(hue);
        found.groups.push_back({name, key == k_no_key ? grey_colour() : known, allocations, 0});
    }
    found.group_of.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) found.group_of.push_back(numbers[key_of(timeline, by, i)]);
    count_live_bytes(found, timeline, timeline.peak_tick());
    return found;
}

std::string why_no_colours(const Timeline& timeline, ColourBy by) {
    if (by == ColourBy::module) {
        const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
        const auto is_named = [](const ModuleOfAllocation& of) { return of.module != k_no_module; };
        return std::ranges::any_of(modules.of, is_named) ? ""
                                                         : "The file does not say which module an allocation belongs to";
    }
    if (!has_names(by) || timeline.allocation_count() == 0) return "";
    const std::uint32_t first = key_of(timeline, by, 0);
    for (std::uint32_t i = 1; i < timeline.allocation_count(); ++i) {
        if (key_of(timeline, by, i) != first) return "";
    }
    if (by == ColourBy::stream) return "Everything here is on one stream";
    if (first == k_no_key)
        return by == ColourBy::pool ? "The file has no information about pools" : "The file names no categories";
    return by == ColourBy::pool ? "Everything here is in one pool" : "Everything here is in one category";
}

void count_live_bytes(ColourGroups& groups, const Timeline& timeline, std::uint32_t tick) {
    groups.tick = tick;
    for (ColourGroup& group : groups.groups) group.bytes = 0;
    for (const AllocationId id : timeline.live_after_tick(tick))
        groups.groups[groups.group_of[id.value]].bytes += timeline.trace().allocations.size_bytes[id.value];
}

std::uint32_t darkest_grey(ThemeVariant theme) { return theme == ThemeVariant::dark ? 36 : 204; }

std::uint32_t greyed(std::uint32_t colour, ThemeVariant theme) {
    const std::uint32_t red = colour & 0xFF, green = colour >> 8 & 0xFF, blue = colour >> 16 & 0xFF;
    const std::uint32_t brightness = (54 * red + 183 * green + 19 * blue) / 256;
    const std::uint32_t grey = darkest_grey(theme) + brightness / 8;
    return (colour & 0xFF000000U) | grey << 16 | grey << 8 | grey;
}

void grey_others(std::vector<std::uint32_t>& colours, const Emphasis& emphasis, ThemeVariant theme) {
    assert(colours.size() == emphasis.allocation_count());
    for (std::uint32_t i = 0; i < colours.size(); ++i) {
        if (!emphasis.contains(AllocationId{i})) colours[i] = greyed(colours[i], theme);
    }
}

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
    for (const std::uint64_t fingerprint : stack_fingerprints(snapshot.strings, snapshot.stacks))
        colours.push_back(colour_of_fingerprint(fingerprint));
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
        default: return grey_;
    }
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

}  // namespace snapviewer::mesh
