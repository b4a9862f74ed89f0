#include "core/replay/allocator_model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>

#include "core/base/text.h"
#include "core/trace/segments.h"

namespace snapviewer::replay {
namespace {

constexpr std::uint64_t k_npu_alignment_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t k_max_mib = std::uint64_t{1} << 30;

Error wrong_value(std::string_view name, const std::string& what) {
    return {ErrorCode::bad_query, fmt::format("{} {}", name, what)};
}

/// Parses a number of MiB and returns bytes.
std::optional<std::uint64_t> mib_in(const std::string& text) {
    const auto mib = parse_number<std::uint64_t>(trimmed(text));
    return mib && *mib <= k_max_mib ? std::optional(*mib << 20) : std::nullopt;
}

/// Parses a capacity such as "8589934592" or "40G" and returns bytes.
std::optional<std::uint64_t> capacity_in(std::string_view text) {
    text = trimmed(text);
    constexpr std::string_view k_units = "KMGT";
    const std::size_t power = text.empty() ? text.npos : k_units.find(static_cast<char>(std::toupper(text.back())));
    if (power == text.npos) return parse_number<std::uint64_t>(trimmed(text));
    const auto number = parse_number<double>(trimmed(text.substr(0, text.size() - 1)));
    if (!number || !(*number >= 0) || *number > 1e9) return std::nullopt;
    return static_cast<std::uint64_t>(std::ldexp(*number, 10 * (static_cast<int>(power) + 1)));
}

/// Splits a text at commas that are not within brackets.
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        depth += (c == '[' ? 1 : 0) - (c == ']' ? 1 : 0);
        if (c != ',' || (depth != 0 && i < text.size())) continue;
        parts.push_back(trimmed(text.substr(start, i - start)));
        start = i + 1;
    }
    return parts;
}

/// Parses a number of divisions, which is 0 or a power of two.
std::optional<std::uint32_t> division_count_in(std::string_view text) {
    const auto count = parse_number<std::uint32_t>(trimmed(text));
    return count && (*count & (*count - 1)) == 0 ? count : std::nullopt;
}

/// Parses roundup_power2_divisions. The value is one power of two for all sizes, or a list such as "[256:1,512:2,>:4]" with
/// sizes in MiB. In a list, the first entry also applies to smaller sizes, and ">" applies to sizes above the last one
/// named.
std::optional<SizeDivisions> divisions_in(std::string_view text) {
    text = trimmed(text);
    SizeDivisions table{};
    if (!text.starts_with('[')) {
        const auto count = division_count_in(text);
        if (!count) return std::nullopt;
        table.fill(*count);
        return table;
    }
    if (!text.ends_with(']')) return std::nullopt;
    bool is_first = true;
    std::size_t last = 0;
    for (const std::string_view part : parts_of(text.substr(1, text.size() - 2))) {
        const std::size_t colon = part.find(':');
        if (colon == part.npos) return std::nullopt;
        const std::string_view size = trimmed(part.substr(0, colon));
        const auto count = division_count_in(part.substr(colon + 1));
        if (!count) return std::nullopt;
        if (size == ">") {
            std::fill(table.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, table.size())), table.end(), *count);
            continue;
        }
        const auto mib = parse_number<std::uint64_t>(size);
        if (!mib || !std::has_single_bit(*mib)) return std::nullopt;
        last = std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(*mib)) - 1, table.size() - 1);
        if (is_first) std::fill_n(table.begin(), last, *count);
        is_first = false;
        table[last] = *count;
    }
    return table;
}

/// True if the file comes from torch_npu, which adds 32 bytes to each request before it rounds. The sizes of live blocks
/// decide, if they distinguish the two. Otherwise the file counts as torch_npu's if it has segments but no allocator
/// settings, and no event has a time or stream 0.
bool is_npu_file(const Snapshot& snapshot, const DeviceTrace& trace, const AllocatorSettings& settings) {
    AllocatorSettings padded_settings = settings;
    padded_settings.padding = k_npu_padding_bytes;
    std::uint64_t plain = 0;
    std::uint64_t padded = 0;
    bool has_segments = false;
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        has_segments = true;
        for (const Block& block : snapshot.blocks_of(segment)) {
            if (block.state != BlockState::active_allocated) continue;
            const bool fits_plain = settings.rounded(block.requested_bytes) == block.size_bytes;
            const bool fits_padded = padded_settings.rounded(block.requested_bytes) == block.size_bytes;
            if (fits_plain && !fits_padded) ++plain;
            if (fits_padded && !fits_plain) ++padded;
        }
    }
    if (plain > 0 || padded > 0) return padded > plain;
    const bool says_something = !setting_text(snapshot, "PYTORCH_CUDA_ALLOC_CONF").empty() ||
                                !setting_text(snapshot, "max_split_size").empty() ||
                                !setting_text(snapshot, "expandable_segments").empty();
    if (!has_segments || says_something) return false;
    std::size_t events = 0;
    for (const DeviceTrace& device : snapshot.devices) {
        events += device.events.size();
        for (std::size_t i = 0; i < device.events.size(); ++i) {
            if (device.events.time_us[i] != k_no_time || snapshot.streams[device.events.stream[i]] == 0) return false;
        }
    }
    return events > 0;
}

/// True if expandable segments were on. Events decide first: the setting stated in the file is the one at the end, and
/// PyTorch ignores it on platforms without expandable segments.
bool was_expandable(const Snapshot& snapshot, const DeviceTrace& trace) {
    bool has_native = false;
    bool has_mapped = false;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const std::uint16_t pool = trace.events.pool[i];
        if (is_private_pool(snapshot, pool)) continue;
        has_native = has_native || trace.events.action[i] == Action::segment_alloc;
        has_mapped = has_mapped || trace.events.action[i] == Action::segment_map;
    }
    if (has_native != has_mapped) return has_mapped;
    const std::string_view stated = setting_text(snapshot, "expandable_segments");
    if (!stated.empty()) return stated == "true" || stated == "1";
    return std::ranges::any_of(
        snapshot.segments, [&](const Segment& segment) { return segment.device == trace.device && segment.is_expandable; });
}

}  // namespace

Status change_setting(AllocatorSettings& settings, std::string_view name, const std::string& value) {
    const std::optional<std::uint64_t> bytes = mib_in(value);
    if (name == "expandable_segments") {
        std::string word = value;
        std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (word != "true" && word != "false" && word != "1" && word != "0") return wrong_value(name, "is true or false");
        settings.expandable = word == "true" || word == "1";
        settings.follows_switches = false;
    } else if (name == "max_split_size_mb") {
        const auto mib = parse_number<std::int64_t>(trimmed(value));
        if (!mib || (*mib > 0 && (!bytes || *bytes < settings.large_segment)))
            return wrong_value(name, fmt::format("is at least {}", settings.large_segment >> 20));
        settings.max_split = *mib <= 0 ? k_unlimited_bytes : *bytes;
    } else if (name == "max_non_split_rounding_mb") {
        if (!bytes) return wrong_value(name, "is a number of MiB");
        settings.non_split_rounding = *bytes;
    } else if (name == "large_segment_size_mb") {
        if (!bytes || *bytes < k_small_segment_bytes) return wrong_value(name, "is a number of MiB, 2 or more");
        settings.large_segment = settings.non_split_rounding = *bytes;
    } else if (name == "roundup_power2_divisions") {
        const auto divisions = divisions_in(value);
        if (!divisions) return wrong_value(name, "is a power of two, or a list such as [256:1,512:2,>:4]");
        settings.roundup = *divisions;
    } else if (name == "garbage_collection_threshold") {
        const auto share = parse_number<double>(trimmed(value));
        if (!share || !(*share >= 0 && *share < 1)) return wrong_value(name, "lies between 0 and 1");
        settings.gc_threshold = *share;
    } else if (name == "capacity_bytes") {
        const auto capacity = capacity_in(value);
        if (!capacity || *capacity >= k_unlimited_bytes) return wrong_value(name, "is a number of bytes, or 40G");
        settings.capacity = *capacity;
    } else {
        return wrong_value(name,
                           "is not a setting that can be changed; expected one of expandable_segments, max_split_size_mb, "
                           "max_non_split_rounding_mb, "
                           "large_segment_size_mb, roundup_power2_divisions, "
                           "garbage_collection_threshold, capacity_bytes");
    }
    return {};
}

AllocatorSettings recorded_allocator_settings(const Snapshot& snapshot, const DeviceTrace& trace) {
    AllocatorSettings settings;
    const auto text = parse_json(setting_text(snapshot, "PYTORCH_CUDA_ALLOC_CONF"));
    if (text.is_string()) {
        for (const std::string_view part : parts_of(text.get_ref<const std::string&>())) {
            const std::size_t colon = part.find(':');
            const std::string_view name = trimmed(part.substr(0, colon));
            if (colon == part.npos || (name != "large_segment_size_mb" && name != "max_non_split_rounding_mb")) continue;
            // An invalid value is skipped: the program's own allocator rejected it, so it was not in force.
            static_cast<void>(change_setting(settings, name, std::string(part.substr(colon + 1))));
        }
    }
    const double limit = setting_number(snapshot, "max_split_size", -1);
    if (limit > 0 && limit < static_cast<double>(k_unlimited_bytes)) settings.max_split = static_cast<std::uint64_t>(limit);
    settings.gc_threshold = std::clamp(setting_number(snapshot, "garbage_collection_threshold", 0), 0.0, 1.0);
    settings.roundup = recorded_divisions(snapshot);
    settings.expandable = was_expandable(snapshot, trace);
    if (is_npu_file(snapshot, trace, settings)) {
        settings.padding = k_npu_padding_bytes;
        settings.alignment = k_npu_alignment_bytes;
    }
    return settings;
}

}  // namespace snapviewer::replay
