#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace snapviewer {

/// An index into one particular table. The types of ids for different tables do not convert to each other; `none()` means
/// "unknown".
template <typename Tag>
struct Id {
    std::uint32_t value = std::numeric_limits<std::uint32_t>::max();

    static constexpr Id none() { return Id{}; }
    constexpr bool is_some() const { return value != std::numeric_limits<std::uint32_t>::max(); }
    constexpr auto operator<=>(const Id&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 takes it for a 0
};

using StringId = Id<struct StringTag>;          ///< index into Snapshot::strings
using FrameId = Id<struct FrameTag>;            ///< index into StackTable's frames
using StackId = Id<struct StackTag>;            ///< index into StackTable's stacks
using MetadataId = Id<struct MetadataTag>;      ///< index into Snapshot::metadata
using EventId = Id<struct EventTag>;            ///< index into the events of one device
using AllocationId = Id<struct AllocationTag>;  ///< index into the allocations of one device, in drawing order

}  // namespace snapviewer
