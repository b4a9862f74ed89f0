#include "core/mesh/picture_areas.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/base/context.h"

namespace snapviewer::mesh {
namespace {

constexpr double k_min_height_px = 0.5;
constexpr double k_min_width_px = 1;
constexpr std::size_t k_max_areas = 20'000;   // maximum number of areas of allocations, and of runs
constexpr double k_flat_px = 0.1;             // an edge that moves by less continues as a straight line
constexpr double k_max_ticks_per_column = 2;  // if there are more, a column shows one of its moments
constexpr std::uint32_t k_other_colour = 16;  // limit for a difference of red, green or blue within an area

/// The places of ticks on an axis, and the size of a pixel in its units.
class Places {
public:
    Places(const Timeline& timeline, Axis axis, const View& view, const PictureSize& size)
        : timeline_(timeline),
          axis_(axis),
          pixel_x(view.width() / size.width_px),
          pixel_bytes(view.height() / size.height_px) {}

    double of_tick(std::uint32_t tick) const { return place_of_tick(timeline_, axis_, tick); }
    /// Returns the place at which the slide that a tick starts has ended; the tick's own place if it starts none.
    double after_tick(std::uint32_t tick) const {
        if (axis_ == Axis::time || !timeline_.is_free(tick)) return of_tick(tick);
        const double slid = of_tick(tick) + static_cast<double>(Timeline::k_slide_steps);
        return tick + 1 < timeline_.tick_count() ? std::min(slid, of_tick(tick + 1)) : slid;
    }

private:
    const Timeline& timeline_;
    Axis axis_;

public:
    const double pixel_x, pixel_bytes;
};

/// The live allocations of a run, summed up for its mean colour.
struct ThinSum {
    std::uint64_t bytes = 0, red = 0, green = 0, blue = 0;  ///< colour channels, multiplied by bytes

    void add(std::uint32_t colour, std::uint64_t size_bytes) {
        bytes += size_bytes;
        red += size_bytes * (colour & 0xffU);
        green += size_bytes * (colour >> 8U & 0xffU);
        blue += size_bytes * (colour >> 16U & 0xffU);
    }
    void remove(std::uint32_t colour, std::uint64_t size_bytes) { add(colour, 0 - size_bytes); }  // wraps around modulo 2^64
    void add(const ThinSum& other) {
        bytes += other.bytes;
        red += other.red;
        green += other.green;
        blue += other.blue;
    }
    std::uint32_t mean_colour() const {
        const auto part = [this](std::uint64_t sum) { return static_cast<std::uint32_t>((sum + bytes / 2) / bytes); };
        return bytes == 0 ? 0xff000000U : 0xff000000U | part(blue) << 16U | part(green) << 8U | part(red);
    }
};

bool are_alike(std::uint32_t a, std::uint32_t b) {
    for (const std::uint32_t shift : {0U, 8U, 16U}) {
        const auto of = [shift](std::uint32_t colour) { return static_cast<int>(colour >> shift & 0xffU); };
        if (std::abs(of(a) - of(b)) > static_cast<int>(k_other_colour)) return false;
    }
    return true;
}

/// Walks through the ticks in view and builds areas from the live allocations.
class AreaMaker {
public:
    AreaMaker(const Timeline& timeline, const Places& places, const View& view, std::span<const std::uint32_t> colours,
              std::vector<AllocationId> own)
        : timeline_(timeline),
          sizes_(timeline.trace().allocations.size_bytes),
          places_(places),
          view_(view),
          colours_(colours),
          own_(std::move(own)),
          own_points_(own_.size()),
          is_alive_(own_.size(), false),
          thin_(own_.size() + 1),
          growing_(own_.size() + 1) {}

    /// Returns the areas of the allocations that are live after `first_tick` or begin up to `last_tick`.
    std::vector<PictureArea> make(std::uint32_t first_tick, std::uint32_t last_tick) {
        for (const AllocationId id : timeline_.live_after_tick(first_tick)) begin(id);
        const double ticks_per_column = static_cast<double>(last_tick - first_tick) * places_.pixel_x / view_.width();
        if (ticks_per_column <= k_max_ticks_per_column)
            follow_ticks(first_tick + 1, last_tick);
        else
            follow_columns(first_tick + 1, last_tick);
        for (std::size_t slot = 0; slot < own_.size(); ++slot) finish_own(slot);
        for (std::size_t base = 0; base < growing_.size(); ++base) finish_run(base);
        std::ranges::sort(areas_, {}, &PictureArea::id);
        runs_.insert(runs_.end(), std::make_move_iterator(areas_.begin()), std::make_move_iterator(areas_.end()));
        return std::move(runs_);
    }

private:
    /// An unfinished run of thin allocations.
    struct Growing {
        std::vector<AreaPoint> points;
        ThinSum sum;
        std::uint32_t first_colour = 0;
    };

    /// Returns the index of an allocation in `own_`, or of the first allocation above it.
    std::size_t slot_of(AllocationId id) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(own_, id) - own_.begin());
    }
    bool is_own(std::size_t slot, AllocationId id) const { return slot < own_.size() && own_[slot] == id; }
    void begin(AllocationId id) {
        const std::size_t slot = slot_of(id);
        if (is_own(slot, id))
            is_alive_[slot] = true;
        else
            thin_[slot].add(colours_[id.value], sizes_[id.value]);
    }

    void end(AllocationId id) {
        const std::size_t slot = slot_of(id);
        if (is_own(slot, id)) {
            is_alive_[slot] = false;
            finish_own(slot);
            finish_run(slot + 1);
        } else {
            thin_[slot].remove(colours_[id.value], sizes_[id.value]);
        }
    }

    void change(std::uint32_t tick) {
        const AllocationId id = timeline_.allocation_at_tick(tick);
        if (!id.is_some()) return;
        if (timeline_.is_free(tick))
            end(id);
        else
            begin(id);
    }

    /// Adds the edges of all areas at a place, from the lowest to the highest.
    void sample(double x) {
        double low = 0;
        std::size_t base = 0;
        ThinSum run;
        const auto end_run = [&] {
            const double high = low + static_cast<double>(run.bytes);
            sample_run(base, run, {x, low, high});
            low = high;
            run = ThinSum{};
        };
        for (std::size_t slot = 0; slot < own_.size(); ++slot) {
            if (thin_[slot].bytes > 0) run.add(thin_[slot]);
            if (!is_alive_[slot]) continue;
            end_run();
            const double high = low + static_cast<double>(sizes_[own_[slot].value]);
            append_point(own_points_[slot], {x, low, high});
            low = high;
            base = slot + 1;
        }
        run.add(thin_.back());
        end_run();
    }

    /// Continues a run, ends it if it is empty, or ends it and begins another one if its colour has changed.
    void sample_run(std::size_t base, const ThinSum& run, const AreaPoint& point) {
        Growing& growing = growing_[base];
        const bool is_under_way = !growing.points.empty();
        if (run.bytes == 0 && !is_under_way) return;
        const std::uint32_t colour = run.mean_colour();
        const bool is_other = is_under_way && !are_alike(colour, growing.first_colour) && runs_.size() < k_max_areas;
        if (run.bytes == 0 || is_other) {
            if (half_column_ == 0) append_point(growing.points, point);
            finish_run(base);
            if (run.bytes == 0) return;
        }
        if (growing.points.empty()) growing.first_colour = colour;
        append_point(growing.points, point);
        // Weights in MiB are precise enough for a mean over moments. The sum of bytes could overflow.
        growing.sum.add(colour, std::max<std::uint64_t>(1, run.bytes >> 20U));
    }

    void finish_run(std::size_t base) {
        Growing growing = std::exchange(growing_[base], {});
        if (growing.points.empty()) return;
        finish(growing.points);
        if (is_in_view(growing.points))
            runs_.push_back({AllocationId::none(), growing.sum.mean_colour(), std::move(growing.points)});
    }

    void finish_own(std::size_t slot) {
        std::vector<AreaPoint> points = std::exchange(own_points_[slot], {});
        if (points.empty()) return;
        finish(points);
        const AllocationId id = own_[slot];
        if (is_in_view(points)) areas_.push_back({id, colours_[id.value], std::move(points)});
    }

    void finish(std::vector<AreaPoint>& points) const {
        if (half_column_ == 0) return;
        const AreaPoint last = points.back();
        points.push_back({last.x + half_column_, last.low_bytes, last.high_bytes});
    }

    /// Appends a point. If the edges have not moved since the last two points, replaces the last point instead.
    void append_point(std::vector<AreaPoint>& points, const AreaPoint& point) const {
        const double flat_bytes = k_flat_px * places_.pixel_bytes;
        const auto is_level = [&](const AreaPoint& other) {
            return std::abs(other.low_bytes - point.low_bytes) <= flat_bytes &&
                   std::abs(other.high_bytes - point.high_bytes) <= flat_bytes;
        };
        if (points.empty() && half_column_ > 0)
            points.push_back({point.x - half_column_, point.low_bytes, point.high_bytes});
        const std::size_t count = points.size();
        if (count >= 2 && is_level(points[count - 1]) && is_level(points[count - 2]))
            points.back() = point;
        else
            points.push_back(point);
    }

    bool is_in_view(const std::vector<AreaPoint>& points) const {
        const bool is_beside = points.back().x <= view_.x_begin || points.front().x >= view_.x_end;
        return !is_beside && std::ranges::any_of(points, [this](const AreaPoint& point) {
            return point.high_bytes > view_.y_begin && point.low_bytes < view_.y_end;
        });
    }

    /// Adds samples at every tick.
    void follow_ticks(std::uint32_t tick, std::uint32_t last_tick) {
        sample(places_.after_tick(tick - 1));
        for (; tick <= last_tick; ++tick) {
            sample(places_.of_tick(tick));
            change(tick);
            if (timeline_.allocation_at_tick(tick).is_some()) sample(places_.after_tick(tick));
        }
    }

    /// Adds one sample per column of pixels: the moment with the largest total in it, which may be the moment at its left
    /// edge.
    void follow_columns(std::uint32_t tick, std::uint32_t last_tick) {
        const auto columns = static_cast<std::int64_t>(std::ceil(view_.width() / places_.pixel_x));
        half_column_ = places_.pixel_x / 2;
        for (; tick <= last_tick && column_of(tick) < 0; ++tick) change(tick);
        std::int64_t filled = 0;
        while (tick <= last_tick) {
            const std::int64_t column = column_of(tick);
            fill_columns(filled, std::min(column, columns));
            if (column >= columns) return;
            std::uint32_t highest = tick - 1;
            std::uint32_t end = tick;
            for (; end <= last_tick && column_of(end) == column; ++end) {
                if (timeline_.total_after_tick(end) > timeline_.total_after_tick(highest)) highest = end;
            }
            if (highest < tick) sample(middle_of(column));
            for (; tick < end; ++tick) {
                change(tick);
                if (tick == highest) sample(middle_of(column));
            }
            filled = column + 1;
        }
    }

    /// Adds samples for columns without a tick, from `first` to before `end`.
    void fill_columns(std::int64_t first, std::int64_t end) {
        if (first < end) sample(middle_of(first));
        if (first + 1 < end) sample(middle_of(end - 1));
    }

    std::int64_t column_of(std::uint32_t tick) const {
        return static_cast<std::int64_t>(std::floor((places_.of_tick(tick) - view_.x_begin) / places_.pixel_x));
    }
    double middle_of(std::int64_t column) const {
        return view_.x_begin + (static_cast<double>(column) + 0.5) * places_.pixel_x;
    }

    const Timeline& timeline_;
    const std::vector<std::uint64_t>& sizes_;
    const Places& places_;
    View view_;
    double half_column_ = 0;  ///< distance by which an area extends beyond its first and last sample
    std::span<const std::uint32_t> colours_;
    std::vector<AllocationId> own_;                   ///< allocations with their own area, lowest first
    std::vector<std::vector<AreaPoint>> own_points_;  ///< parallel to own_
    std::vector<bool> is_alive_;                      ///< parallel to own_
    std::vector<ThinSum> thin_;                       ///< element i: live allocations between own_[i - 1] and own_[i]
    std::vector<Growing> growing_;                    ///< element i: the run above own_[i - 1]; element 0: the lowest run
    std::vector<PictureArea> runs_, areas_;
};

/// Returns the allocations that get their own area, by ascending id.
std::vector<AllocationId> own_areas(const Timeline& timeline, const Places& places, const View& view) {
    struct Candidate {
        double area;
        AllocationId id;
    };
    std::vector<Candidate> found;
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const double height = static_cast<double>(sizes[i]) / places.pixel_bytes;
        if (height < k_min_height_px) continue;
        const AllocationId id{i};
        const double begin = std::max(view.x_begin, places.of_tick(timeline.first_tick(id)));
        const double end = std::min(view.x_end, places.of_tick(timeline.last_tick(id)));
        const double width = (end - begin) / places.pixel_x;
        if (width >= k_min_width_px) found.push_back({width * std::min(height, view.height() / places.pixel_bytes), id});
    }
    if (found.size() > k_max_areas) {
        std::ranges::nth_element(found, found.begin() + k_max_areas, std::greater<>{}, &Candidate::area);
        found.resize(k_max_areas);
    }
    std::vector<AllocationId> own;
    for (const Candidate& each : found) own.push_back(each.id);
    std::ranges::sort(own);
    return own;
}

/// Returns the areas of a file with recorded paths.
std::vector<PictureArea> recorded_areas(const Timeline& timeline, std::span<const AllocationId> own, const View& view,
                                        std::span<const std::uint32_t> colours) {
    std::vector<PictureArea> areas;
    for (const AllocationId id : own) {
        PictureArea area{id, colours[id.value], {}};
        const auto size = static_cast<double>(timeline.trace().allocations.size_bytes[id.value]);
        const std::span<const PathPoint> path = timeline.recorded_path(id);
        for (std::size_t i = 0; i < path.size(); ++i) {
            const bool is_before = i + 1 < path.size() && static_cast<double>(path[i + 1].step) < view.x_begin;
            const bool is_after = i > 0 && static_cast<double>(path[i - 1].step) > view.x_end;
            const auto low = static_cast<double>(path[i].offset_bytes);
            if (!is_before && !is_after) area.points.push_back({static_cast<double>(path[i].step), low, low + size});
        }
        if (area.points.size() >= 2) areas.push_back(std::move(area));
    }
    return areas;
}

}  // namespace

std::vector<PictureArea> picture_areas(const Timeline& timeline, Axis axis, const View& view, const PictureSize& size,
                                       std::span<const std::uint32_t> colours) {
    const bool is_empty = size.width_px < 1 || size.height_px < 1 || view.width() <= 0 || view.height() <= 0;
    if (is_empty || timeline.allocation_count() == 0 || (axis == Axis::time && !timeline.has_times())) return {};
    const Places places(timeline, axis, view, size);
    std::vector<AllocationId> own = own_areas(timeline, places, view);
    if (timeline.has_recorded_paths()) return recorded_areas(timeline, own, view, colours);
    const std::uint32_t at_left = timeline.tick_at(axis, view.x_begin);
    const std::uint32_t first_tick = at_left - std::min(at_left, 1U);  // a slide at the left edge began at the tick before
    const std::uint32_t last_tick = std::min(timeline.tick_at(axis, view.x_end) + 1, timeline.tick_count() - 1);
    if (first_tick >= last_tick) return {};
    return AreaMaker(timeline, places, view, colours, std::move(own)).make(first_tick, last_tick);
}

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
struct GrowingRect {
    LabelRect block;
    std::size_t last_column = 0;
};

class LabelRectFinder {
public:
    LabelRectFinder(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view, const LabelRectLimits& wanted,
                    std::span<const std::uint32_t> layer_of)
        : timeline_(timeline),
          mesh_(mesh),
          axis_(axis),
          view_(view),
          layer_of_(layer_of),
          min_width_(wanted.min_width_px * view.width() / wanted.width_px),
          min_height_(wanted.min_height_px * view.height() / wanted.height_px),
          pixel_(view.width() / wanted.width_px) {}

    std::vector<LabelRect> find() {
        const double x_end = std::min(view_.x_end, place_of_tick(timeline_, axis_, timeline_.tick_count() - 1));
        double x = std::max(view_.x_begin, 0.0);
        for (std::size_t column = 1; x < x_end; ++column, x += k_column_px * pixel_) {
            check_stop();
            for (const Stretch& stretch : stretches_at(x)) extend_rect(stretch, column, x);
        }
        for (const auto& [key, growing] : growing_) close(key, growing);
        std::vector<LabelRect> found;
        for (const auto& [key, block] : widest_) found.push_back(block);
        std::ranges::sort(found, {}, &LabelRect::id);
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
            if (has_one && now.height() >= min_height_) stretches.push_back(now);
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
    void extend_rect(const Stretch& stretch, std::size_t column, double x) {
        GrowingRect& growing = growing_[stretch.key];
        if (growing.last_column == column) return;  // a layer may appear twice in a column; its lower part counts
        const double low_bytes = std::max(growing.block.rect.y_begin, stretch.low_bytes);
        const double high_bytes = std::min(growing.block.rect.y_end, stretch.high_bytes);
        if (growing.last_column + 1 == column && growing.last_column > 0 && high_bytes - low_bytes >= min_height_) {
            growing.block.rect.y_begin = low_bytes;
            growing.block.rect.y_end = high_bytes;
            growing.block.rect.x_end = x;
        } else {
            close(stretch.key, growing);
            growing.block = {stretch.id, {x, x, stretch.low_bytes, stretch.high_bytes}};
        }
        growing.last_column = column;
    }

    void close(std::uint32_t key, const GrowingRect& growing) {
        if (growing.last_column == 0 || growing.block.rect.width() < min_width_) return;
        const auto [at, is_new] = widest_.try_emplace(key, growing.block);
        if (!is_new && at->second.rect.width() < growing.block.rect.width()) at->second = growing.block;
    }

    const Timeline& timeline_;
    const Mesh& mesh_;
    Axis axis_;
    View view_;
    std::span<const std::uint32_t> layer_of_;
    double min_width_, min_height_, pixel_;
    std::unordered_map<std::uint32_t, GrowingRect> growing_;
    std::unordered_map<std::uint32_t, LabelRect> widest_;
};

}  // namespace

std::vector<LabelRect> find_label_rects(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view,
                                        const LabelRectLimits& wanted, std::span<const std::uint32_t> layer_of) {
    if (timeline.has_recorded_paths() || timeline.allocation_count() == 0 || wanted.width_px < 1 || wanted.height_px < 1)
        return {};
    return LabelRectFinder(timeline, mesh, axis, view, wanted, layer_of).find();
}

}  // namespace snapviewer::mesh
