#include "core/replay/allocator_settings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <optional>

#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

nlohmann::json setting_json(const Snapshot& snapshot, std::string_view name) {
    const std::string_view text = setting_text(snapshot, name);
    return text.empty() ? nlohmann::json() : parse_json(text);
}

bool is_true_setting(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>() != 0;
    if (value.is_array() || value.is_object() || value.is_string()) return !value.empty();
    return false;
}

/// Returns a setting in lower case and without spaces, because PyTorch accepts upper case and spaces in the environment
/// variable.
std::string plain_text(const nlohmann::json& value) {
    std::string text;
    if (!value.is_string()) return text;
    for (const char each : value.get_ref<const std::string&>()) {
        if (each != ' ') text += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    }
    return text;
}

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
    if (bytes > UINT64_MAX - unit) return UINT64_MAX / unit * unit;
    return (bytes + unit - 1) / unit * unit;
}

/// Returns the bytes that the allocator adds to every request. Blocks that are one rounding unit larger than their requests
/// need show that it adds some.
std::uint64_t padding_of(const Snapshot& snapshot) {
    constexpr std::uint64_t k_ascend_padding_bytes = 32;
    bool is_padded = false;
    for (const Segment& segment : snapshot.segments) {
        for (std::uint32_t i = 0; i < segment.block_count; ++i) {
            const Block& block = snapshot.blocks[segment.first_block + i];
            if (block.state != BlockState::active_allocated) continue;
            const std::uint64_t padded = AllocatorRules::round_512(block.requested_bytes + k_ascend_padding_bytes);
            if (AllocatorRules::round_512(block.requested_bytes) == padded) continue;
            if (block.size_bytes < padded) return 0;
            is_padded = true;
        }
    }
    return is_padded ? k_ascend_padding_bytes : 0;
}

}  // namespace

double setting_number(const Snapshot& snapshot, std::string_view name, double otherwise) {
    const nlohmann::json value = setting_json(snapshot, name);
    return value.is_number() ? value.get<double>() : otherwise;
}

bool has_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (is_true_setting(setting_json(snapshot, "expandable_segments"))) return true;
    for (const char* name : {"PYTORCH_CUDA_ALLOC_CONF", "last_allocator_settings"}) {
        if (plain_text(setting_json(snapshot, name)).find("expandable_segments:true") != std::string::npos) return true;
    }
    return std::ranges::any_of(
               snapshot.segments,
               [&](const Segment& segment) { return segment.device == trace.device && segment.is_expandable; }) ||
           std::ranges::any_of(trace.events.action, [](Action action) {
               return action == Action::segment_map || action == Action::segment_unmap;
           });
}

AllocatorRules::AllocatorRules(const Snapshot& snapshot) : padding_bytes_(padding_of(snapshot)) {
    const nlohmann::json divisions = setting_json(snapshot, "roundup_power2_divisions");
    if (divisions.is_object()) {
        for (const auto& [size, count] : divisions.items()) {
            const bool is_number = !size.empty() && size.size() < 10 &&
                                   std::ranges::all_of(size, [](unsigned char each) { return std::isdigit(each) != 0; });
            if (is_number && count.is_number_unsigned()) divisions_[std::stoull(size)] = count.get<std::uint64_t>();
        }
    }
    const double max_split = setting_number(snapshot, "max_split_size", -1);
    if (max_split > 0 && max_split < 1e18) max_split_bytes_ = static_cast<std::uint64_t>(max_split);
}

std::uint64_t AllocatorRules::round_512(std::uint64_t bytes) { return std::max<std::uint64_t>(512, round_up(bytes, 512)); }

std::uint64_t AllocatorRules::rounded(std::uint64_t requested_bytes) const {
    const std::uint64_t bytes = requested_bytes + padding_bytes_;
    if (bytes < 512 || divisions_.empty()) return round_512(bytes);
    const std::uint64_t floor = std::bit_floor(bytes);
    const auto found = divisions_.find(std::min(std::max<std::uint64_t>(1, floor / k_mib), divisions_.rbegin()->first));
    const std::uint64_t divisions = found == divisions_.end() ? 0 : found->second;
    if (divisions <= 1 || bytes / 512 < divisions || bytes <= 512 * divisions || bytes == floor) return round_512(bytes);
    return round_up(bytes, std::max<std::uint64_t>(512, floor / divisions));
}

bool AllocatorRules::keeps_rest(std::uint64_t block_bytes, std::uint64_t rest_bytes, bool is_small,
                                bool is_expandable) const {
    if (rest_bytes == 0) return false;
    if (is_small || is_expandable) return rest_bytes < 512;
    return rest_bytes <= k_mib || (max_split_bytes_ > 0 && max_split_bytes_ <= block_bytes);
}

std::uint64_t AllocatorRules::driver_bytes(std::uint64_t requested_bytes) {
    if (requested_bytes <= k_mib) return 2 * k_mib;
    if (requested_bytes < 10 * k_mib) return 20 * k_mib;
    return round_up(requested_bytes, 2 * k_mib);
}

namespace {

// Minimum size of a block with a segment of its own (PyTorch's kMinLargeAlloc)
constexpr std::uint64_t k_large_direct_bytes = std::uint64_t{10} << 20;
constexpr std::uint64_t k_npu_padding_bytes = 32;
constexpr std::uint64_t k_npu_alignment_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t k_most_mib = std::uint64_t{1} << 30;

Error wrong_value(std::string_view name, const std::string& what) {
    return {ErrorCode::bad_query, fmt::format("{} {}", name, what)};
}

/// Parses a number of MiB and returns bytes.
std::optional<std::uint64_t> mib_in(const std::string& text) {
    const auto mib = parse_number<std::uint64_t>(trimmed(text));
    return mib && *mib <= k_most_mib ? std::optional(*mib << 20) : std::nullopt;
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

bool is_power_of_two_or_none(std::uint32_t number) { return (number & (number - 1)) == 0; }

using Divisions = std::array<std::uint32_t, k_size_intervals>;

/// Parses roundup_power2_divisions. The value is one power of two for all sizes, or a list such as "[256:1,512:2,>:4]" with
/// sizes in MiB. In a list, the first entry also applies to smaller sizes, and ">" applies to sizes above the last one
/// named.
std::optional<Divisions> divisions_in(std::string_view text) {
    text = trimmed(text);
    Divisions table{};
    if (!text.starts_with('[')) {
        const auto number = parse_number<std::uint32_t>(trimmed(text));
        if (!number || !is_power_of_two_or_none(*number)) return std::nullopt;
        table.fill(*number);
        return table;
    }
    if (!text.ends_with(']')) return std::nullopt;
    bool is_first = true;
    std::size_t last = 0;
    for (const std::string_view part : parts_of(text.substr(1, text.size() - 2))) {
        const std::size_t colon = part.find(':');
        if (colon == part.npos) return std::nullopt;
        const auto number = parse_number<std::uint32_t>(trimmed(part.substr(colon + 1)));
        if (!number || !is_power_of_two_or_none(*number)) return std::nullopt;
        if (trimmed(part.substr(0, colon)) == ">") {
            std::fill(table.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, table.size())), table.end(), *number);
            continue;
        }
        const auto mib = parse_number<std::uint64_t>(trimmed(part.substr(0, colon)));
        if (!mib || *mib == 0 || !std::has_single_bit(*mib)) return std::nullopt;
        last = std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(*mib)) - 1, k_size_intervals - 1);
        if (is_first) std::fill(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(last), *number);
        is_first = false;
        table[last] = *number;
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
        for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
            const Block& block = snapshot.blocks[i];
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

void take_rounding(const Snapshot& snapshot, AllocatorSettings& settings) {
    const auto divisions = parse_json(setting_text(snapshot, "roundup_power2_divisions"));
    if (!divisions.is_object() || divisions.empty()) return;
    for (std::size_t i = 0; i < k_size_intervals; ++i) {
        const auto found = divisions.find(std::to_string(std::uint64_t{1} << i));
        settings.roundup[i] = found != divisions.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0;
        if (!is_power_of_two_or_none(settings.roundup[i])) settings.roundup[i] = 0;
    }
}

/// True if expandable segments were on. Events decide first: the setting stated in the file is the one at the end, and
/// PyTorch ignores it on platforms without expandable segments.
bool was_expandable(const Snapshot& snapshot, const DeviceTrace& trace) {
    bool has_native = false;
    bool has_mapped = false;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const std::uint16_t pool = trace.events.pool[i];
        if (pool != k_no_pool && snapshot.pools[pool] != std::pair<std::int64_t, std::int64_t>{}) continue;
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

std::uint64_t AllocatorSettings::rounded(std::uint64_t requested_bytes) const {
    const std::uint64_t size = requested_bytes + padding;
    if (size < k_least_block_bytes) return k_least_block_bytes;
    const int width = static_cast<int>(std::bit_width(size));
    const auto interval = static_cast<std::size_t>(std::clamp(width - 21, 0, static_cast<int>(k_size_intervals) - 1));
    const std::uint64_t divisions = roundup[interval];
    if (divisions <= 1 || size <= k_least_block_bytes * divisions) return round_up_to(size, k_least_block_bytes);
    const std::uint64_t floor = std::bit_floor(size);
    if (floor == size) return size;
    const std::uint64_t step = floor >> (static_cast<int>(std::bit_width(divisions)) - 1);
    return step == 0 ? floor << 1 : round_up_to(size, step);
}

std::uint64_t AllocatorSettings::segment_bytes(std::uint64_t block_bytes) const {
    if (block_bytes <= k_small_limit_bytes) return k_small_segment_bytes;
    if (block_bytes < k_large_direct_bytes) return large_segment;
    return round_up_to(block_bytes, k_large_round_bytes);
}

std::vector<std::string> allocator_setting_names() {
    return {"expandable_segments",   "max_split_size_mb",        "max_non_split_rounding_mb",
            "large_segment_size_mb", "roundup_power2_divisions", "garbage_collection_threshold",
            "capacity_bytes"};
}

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
        return wrong_value(name, fmt::format("is not a setting that can be changed; expected one of {}",
                                             fmt::join(allocator_setting_names(), ", ")));
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
    take_rounding(snapshot, settings);
    settings.expandable = was_expandable(snapshot, trace);
    if (is_npu_file(snapshot, trace, settings)) {
        settings.padding = k_npu_padding_bytes;
        settings.alignment = k_npu_alignment_bytes;
    }
    return settings;
}

}  // namespace snapviewer
