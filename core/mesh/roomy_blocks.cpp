#include "core/mesh/roomy_blocks.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/context.h"
#include "core/mesh/pick.h"

namespace snapviewer {
namespace {

constexpr double k_column_px = 8;

/// The visible part of an allocation or a layer in one column of pixels.
struct Stretch {
    std::uint32_t key = 0;
    AllocationId id;
    double low_bytes = 0, high_bytes = 0;

    double height() const { return high_bytes - low_bytes; }
};

/// A rectangle that grows with each column in which the same key appears at about the same height.
struct GrowingRoom {
    RoomyBlock block;
    std::size_t last_column = 0;
};

class RoomFinder {
public:
    RoomFinder(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view, const RoomWanted& wanted,
               std::span<const std::uint32_t> layer_of)
        : timeline_(timeline),
          mesh_(mesh),
          axis_(axis),
          view_(view),
          layer_of_(layer_of),
          least_width_(wanted.least_width_px * view.width() / wanted.width_px),
          least_height_(wanted.least_height_px * view.height() / wanted.height_px),
          pixel_(view.width() / wanted.width_px) {}

    std::vector<RoomyBlock> find() {
        const double end = axis_ == Axis::steps ? static_cast<double>(timeline_.step_count())
                                                : static_cast<double>(timeline_.tick_times_us().back());
        const double x_end = std::min(view_.x_end, end);
        double x = std::max(view_.x_begin, 0.0);
        for (std::size_t column = 1; x < x_end; ++column, x += k_column_px * pixel_) {
            check_stop();
            for (const Stretch& stretch : stretches_at(x)) go_on(stretch, column, x);
        }
        for (const auto& [key, room] : growing_) close(key, room);
        std::vector<RoomyBlock> found;
        for (const auto& [key, block] : widest_) found.push_back(block);
        std::ranges::sort(found, {}, &RoomyBlock::id);
        return found;
    }

private:
    std::uint32_t key_of(AllocationId id) const { return layer_of_.empty() ? id.value : layer_of_[id.value]; }

    /// Returns the stretches at a place that are high enough, lowest first.
    std::vector<Stretch> stretches_at(double x) const {
        const ShownMoment shown = shown_moment(timeline_, mesh_, axis_, x, x + pixel_);
        std::vector<Stretch> stretches;
        Stretch now;
        bool has_one = false;
        const auto end_stretch = [&] {
            now.low_bytes = std::max(now.low_bytes, view_.y_begin);
            now.high_bytes = std::min(now.high_bytes, view_.y_end);
            if (has_one && now.height() >= least_height_) stretches.push_back(now);
        };
        double low_bytes = 0;
        for (const AllocationId id : timeline_.live_after_tick(shown.tick)) {
            if (low_bytes >= view_.y_end) break;
            const double lift_bytes = shown.ended.is_some() && id > shown.ended ? shown.lift_bytes : 0;
            const double high_bytes = low_bytes + static_cast<double>(timeline_.trace().allocations.size_bytes[id.value]);
            const bool goes_on = has_one && key_of(id) == now.key && now.high_bytes == low_bytes + lift_bytes;
            if (!goes_on) {
                end_stretch();
                now = {key_of(id), id, low_bytes + lift_bytes, 0};
                has_one = true;
            }
            now.high_bytes = high_bytes + lift_bytes;
            low_bytes = high_bytes;
        }
        end_stretch();
        return stretches;
    }

    /// Extends the rectangle of a stretch's key, or begins another one. Columns are numbered from 1.
    void go_on(const Stretch& stretch, std::size_t column, double x) {
        GrowingRoom& room = growing_[stretch.key];
        if (room.last_column == column) return;  // a layer may appear twice in a column; its lower part counts
        const double low_bytes = std::max(room.block.room.y_begin, stretch.low_bytes);
        const double high_bytes = std::min(room.block.room.y_end, stretch.high_bytes);
        if (room.last_column + 1 == column && room.last_column > 0 && high_bytes - low_bytes >= least_height_) {
            room.block.room.y_begin = low_bytes;
            room.block.room.y_end = high_bytes;
            room.block.room.x_end = x;
        } else {
            close(stretch.key, room);
            room.block = {stretch.id, {x, x, stretch.low_bytes, stretch.high_bytes}};
        }
        room.last_column = column;
    }

    void close(std::uint32_t key, const GrowingRoom& room) {
        if (room.last_column == 0 || room.block.room.width() < least_width_) return;
        const auto [at, is_new] = widest_.try_emplace(key, room.block);
        if (!is_new && at->second.room.width() < room.block.room.width()) at->second = room.block;
    }

    const Timeline& timeline_;
    const Mesh& mesh_;
    Axis axis_;
    View view_;
    std::span<const std::uint32_t> layer_of_;
    double least_width_, least_height_, pixel_;
    std::unordered_map<std::uint32_t, GrowingRoom> growing_;
    std::unordered_map<std::uint32_t, RoomyBlock> widest_;
};

}  // namespace

std::vector<RoomyBlock> roomy_blocks(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view,
                                     const RoomWanted& wanted, std::span<const std::uint32_t> layer_of) {
    if (timeline.has_recorded_paths() || timeline.allocation_count() == 0 || wanted.width_px < 1 || wanted.height_px < 1)
        return {};
    return RoomFinder(timeline, mesh, axis, view, wanted, layer_of).find();
}

}  // namespace snapviewer
