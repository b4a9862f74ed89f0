#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/load/failure.h"
#include "core/load/profilers/ascend/read_ascend.h"

namespace snapviewer {
namespace {

/// Forwards each request to the details of the file that the device came from.
class RankDetails final : public DetailSource {
public:
    RankDetails(std::shared_ptr<DetailSource> first, std::size_t first_device_count, std::shared_ptr<DetailSource> second)
        : first_(std::move(first)), first_device_count_(first_device_count), second_(std::move(second)) {}

    Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) override {
        return device_index < first_device_count_ ? first_->details(device_index, id)
                                                  : second_->details(device_index - first_device_count_, id);
    }

private:
    std::shared_ptr<DetailSource> first_;
    std::size_t first_device_count_;
    std::shared_ptr<DetailSource> second_;
};

}  // namespace

void read_ascend_ranks(const std::shared_ptr<SqliteFile>& first, const std::shared_ptr<SqliteFile>& second,
                       Snapshot& snapshot, LoadedFile& loaded) {
    read_ascend_profiler(first, snapshot, loaded);
    const std::size_t first_device_count = snapshot.devices.size();
    LoadedFile of_second;
    read_ascend_profiler(second, snapshot, of_second);
    const std::span<const DeviceTrace> all = snapshot.devices;
    const auto of_first = all.first(first_device_count);
    for (const DeviceTrace& trace : all.subspan(first_device_count)) {
        if (std::ranges::find(of_first, trace.device, &DeviceTrace::device) == of_first.end()) continue;
        fail(
            fmt::format("covers device {}, as the other database does, so they come from different hosts or from the same "
                        "rank; only ranks of one host can be opened together",
                        trace.device));
    }
    loaded.details =
        std::make_shared<RankDetails>(std::move(loaded.details), first_device_count, std::move(of_second.details));
}

}  // namespace snapviewer
