#include "core/analysis/allocator_rules.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

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

}  // namespace snapviewer
