#include "app/features/requests.h"

#include <fmt/format.h>

#include <algorithm>

namespace snapviewer {

std::string rank_words(const RankPlace& place) {
    const std::string device = place.device.value_or(0) == 0 ? "" : fmt::format(", device {}", *place.device);
    return fmt::format("rank {}{}", place.rank, device);
}

std::optional<std::size_t> device_of_rank(const Snapshot& snapshot, const RankPlace& place) {
    const std::string rank = std::to_string(place.rank);
    const auto& devices = snapshot.devices;
    const auto is_of_device = [&](const DeviceTrace& trace) { return !place.device || trace.device == *place.device; };
    auto found =
        std::ranges::find_if(devices, [&](const DeviceTrace& trace) { return is_of_device(trace) && trace.rank == rank; });
    if (found == devices.end()) found = std::ranges::find_if(devices, is_of_device);
    return found == devices.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - devices.begin()));
}

}  // namespace snapviewer
