#include "core/trace/allocator_rules.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <string>

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

/// Returns true if a text of settings turns expandable segments on. PyTorch accepts upper case and spaces in the environment
/// variable.
bool turns_on_expandable_segments(const nlohmann::json& value) {
    if (!value.is_string()) return false;
    std::string text = lower_case(value.get_ref<const std::string&>());
    std::erase(text, ' ');
    return text.find("expandable_segments:true") != text.npos;
}

/// Returns the bytes that the allocator adds to every request. Blocks that are one rounding unit larger than their requests
/// need show that it adds some.
std::uint64_t padding_of(const Snapshot& snapshot) {
    bool is_padded = false;
    for (const Segment& segment : snapshot.segments) {
        for (const Block& block : snapshot.blocks_of(segment)) {
            if (block.state != BlockState::active_allocated) continue;
            const std::uint64_t padded = block_bytes_for(block.requested_bytes + k_npu_padding_bytes, {});
            if (block_bytes_for(block.requested_bytes, {}) == padded) continue;
            if (block.size_bytes < padded) return 0;
            is_padded = true;
        }
    }
    return is_padded ? k_npu_padding_bytes : 0;
}

}  // namespace

std::uint64_t block_bytes_for(std::uint64_t padded_bytes, const SizeDivisions& divisions) {
    const std::uint64_t smallest = std::max(k_min_block_bytes, round_up_to(padded_bytes, k_min_block_bytes));
    const auto doublings =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::bit_width(padded_bytes / k_mib)), 1, divisions.size());
    const std::uint64_t divided = divisions[doublings - 1];
    const std::uint64_t floor = std::bit_floor(padded_bytes);
    if (divided <= 1 || padded_bytes <= k_min_block_bytes * divided || padded_bytes == floor) return smallest;
    return round_up_to(padded_bytes, std::max(k_min_block_bytes, floor / divided));
}

std::uint64_t segment_bytes_for(std::uint64_t bytes, std::uint64_t large_segment_bytes) {
    if (bytes <= k_small_limit_bytes) return k_small_segment_bytes;
    return bytes < k_large_direct_bytes ? large_segment_bytes : round_up_to(bytes, k_large_round_bytes);
}

double setting_number(const Snapshot& snapshot, std::string_view name, double otherwise) {
    const nlohmann::json value = setting_json(snapshot, name);
    return value.is_number() ? value.get<double>() : otherwise;
}

bool has_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (is_true_setting(setting_json(snapshot, "expandable_segments"))) return true;
    for (const char* name : {"PYTORCH_CUDA_ALLOC_CONF", "last_allocator_settings"}) {
        if (turns_on_expandable_segments(setting_json(snapshot, name))) return true;
    }
    return std::ranges::any_of(
               snapshot.segments,
               [&](const Segment& segment) { return segment.device == trace.device && segment.is_expandable; }) ||
           std::ranges::any_of(trace.events.action, [](Action action) {
               return action == Action::segment_map || action == Action::segment_unmap;
           });
}

SizeDivisions recorded_divisions(const Snapshot& snapshot) {
    SizeDivisions divisions{};
    const nlohmann::json stated = setting_json(snapshot, "roundup_power2_divisions");
    if (!stated.is_object()) return divisions;
    std::uint64_t largest_mib = 0;
    for (const auto& [mib, count] : stated.items())
        largest_mib = std::max(largest_mib, parse_number<std::uint64_t>(mib).value_or(0));
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        const auto found = stated.find(std::to_string(std::min(std::uint64_t{1} << i, largest_mib)));
        if (found != stated.end() && found->is_number_unsigned()) divisions[i] = found->get<std::uint32_t>();
    }
    return divisions;
}

AllocatorRules::AllocatorRules(const Snapshot& snapshot)
    : divisions_(recorded_divisions(snapshot)), padding_bytes_(padding_of(snapshot)) {
    const double max_split = setting_number(snapshot, "max_split_size", -1);
    if (max_split > 0 && max_split < 1e18) max_split_bytes_ = static_cast<std::uint64_t>(max_split);
}

bool AllocatorRules::keeps_remainder(std::uint64_t block_bytes, std::uint64_t rest_bytes, bool is_small,
                                     bool is_expandable) const {
    if (rest_bytes == 0) return false;
    if (is_small || is_expandable) return rest_bytes < k_min_block_bytes;
    return rest_bytes <= k_max_unsplit_rest_bytes || (max_split_bytes_ > 0 && max_split_bytes_ <= block_bytes);
}

}  // namespace snapviewer
