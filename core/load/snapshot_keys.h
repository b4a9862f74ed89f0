#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// The keys of PyTorch's memory snapshots that have a meaning for us. A builder interns them first and in this order, so
/// that the StringId of a key is its number here.
namespace snapviewer::keys {

enum Key : std::uint32_t {
    k_action,
    k_addr,
    k_device_free,
    k_size,
    k_stream,
    k_time_us,
    k_frames,
    k_compile_context,
    k_user_metadata,
    k_internal_metadata,
    k_category,
    k_pool_id,
    k_forward_frames,
    k_filename,
    k_line,
    k_name,
    k_device,
    k_address,
    k_total_size,
    k_allocated_size,
    k_active_size,
    k_requested_size,
    k_segment_type,
    k_segment_pool_id,
    k_is_expandable,
    k_blocks,
    k_state,
    k_history,
    k_real_size,
    k_stage,
    k_segments,
    k_device_traces,
    k_allocator_settings,
    k_external_annotations,
    k_key_count,
};

inline constexpr std::array<std::string_view, k_key_count> k_names = {
    "action",
    "addr",
    "device_free",
    "size",
    "stream",
    "time_us",
    "frames",
    "compile_context",
    "user_metadata",
    "internal_metadata",
    "category",
    "pool_id",
    "forward_frames",
    "filename",
    "line",
    "name",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
};

}  // namespace snapviewer::keys
