#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "core/base/context.h"
#include "core/mesh/path_mesh.h"

namespace snapviewer {
namespace {

/// Records that a chunk should hold when few allocations are live: large enough that the pieces' ends cost little, small
/// enough that a window at the nearest zoom does not draw much outside itself.
constexpr std::size_t k_chunk_records = 16384;
constexpr std::uint32_t k_most_piece_bits = 24;

Record make_record(const Mesh& mesh, std::uint32_t flags, std::uint32_t tick_in_chunk, std::uint32_t piece_in_chunk,
                   std::uint64_t low_bytes) {
    return {flags | tick_in_chunk << mesh.piece_bits | piece_in_chunk, static_cast<std::uint32_t>(low_bytes)};
}

/// Ticks that a chunk may span.
std::uint32_t tick_limit(const Mesh& mesh) { return (1U << (Record::k_place_bits - mesh.piece_bits)) - 1; }

/// Bits that number the pieces of any chunk, given how many allocations are live at once at most: those and as many that
/// begin within the chunk, but no fewer than leave a chunk about as many ticks as pieces.
std::uint32_t piece_bits_for(std::size_t most_live) {
    return std::max(15U, static_cast<std::uint32_t>(std::bit_width(2 * most_live)));
}

/// Records up to the next group border.
std::uint32_t padded(std::uint32_t record_count) {
    return (record_count + k_group_records - 1) / k_group_records * k_group_records;
}

[[noreturn]] void fail_too_many_live() {
    throw Failure{{ErrorCode::unsupported,
                   "more than 8 million allocations are live at the same time, which is more than can be drawn"}};
}

/// All distinct steps at which some path has a point. Files mostly use every step up to the last, so that it is quicker to
/// tick them off than to sort them.
std::vector<std::uint64_t> distinct_steps(const Timeline& timeline) {
    const std::vector<PathPoint>& points = timeline.trace().recorded_paths.points;
    std::vector<std::uint64_t> steps{0, timeline.step_count()};
    const std::uint64_t last_step =
        std::max(timeline.step_count(), points.empty() ? 0 : std::ranges::max(points, {}, &PathPoint::step).step);
    if (last_step <= points.size()) {
        std::vector<bool> is_there(last_step + 1);
        for (const std::uint64_t step : steps) is_there[step] = true;
        for (const PathPoint& point : points) is_there[point.step] = true;
        steps.clear();
        for (std::uint64_t step = 0; step < is_there.size(); ++step) {
            if (is_there[step]) steps.push_back(step);
        }
        return steps;
    }
    for (const PathPoint& point : points) steps.push_back(point.step);
    std::ranges::sort(steps);
    steps.erase(std::ranges::unique(steps).begin(), steps.end());
    return steps;
}

/// One allocation's part of a chunk while the chunks are walked from left to right.
struct OpenPath {
    AllocationId id;
    std::size_t next_point = 0;  ///< first point at or after the chunk's first step
};

class PathMeshBuilder {
public:
    PathMeshBuilder(const Timeline& timeline, Mesh& mesh) : timeline_(timeline), mesh_(mesh), steps_(mesh.own_tick_steps) {}

    void build() {
        steps_ = distinct_steps(timeline_);
        has_high_words_ = std::ranges::any_of(timeline_.trace().recorded_paths.points,
                                              [](const PathPoint& point) { return point.offset_bytes >> 32 != 0; });
        mesh_.piece_bits = piece_bits_for(timeline_.most_live());
        if (mesh_.piece_bits > k_most_piece_bits) fail_too_many_live();
        order_by_start();
        reserve_pieces();
        const auto last_tick = static_cast<std::uint32_t>(steps_.size() - 1);
        for (std::uint32_t tick = 0; tick < last_tick || tick == 0;) {
            check_stop();
            const std::uint32_t end = std::min(last_tick, tick + chunk_ticks());
            write_chunk(tick, end);
            report_done(end, last_tick);
            tick = std::max(end, tick + 1);
        }
    }

private:
    /// Allocations by the step of their first point; a file lists them so, but need not.
    void order_by_start() {
        for (std::uint32_t i = 0; i < timeline_.allocation_count(); ++i) by_start_.push_back(AllocationId{i});
        std::ranges::stable_sort(by_start_, {},
                                 [this](AllocationId id) { return timeline_.recorded_path(id).front().step; });
    }

    /// Ticks per chunk such that chunks hold about k_chunk_records on average.
    std::uint32_t chunk_ticks() const {
        const std::size_t points = timeline_.trace().recorded_paths.points.size();
        const std::size_t ticks = steps_.size() * k_chunk_records / std::max<std::size_t>(points, 1);
        return static_cast<std::uint32_t>(std::clamp<std::size_t>(ticks, 16, tick_limit(mesh_)));
    }

    /// What stays alive all along is written again in every chunk: a file may ask for so much of it that it is told before
    /// any is written.
    void reserve_pieces() {
        const auto last_tick = static_cast<std::uint32_t>(steps_.size() - 1);
        const std::uint32_t width = chunk_ticks();
        // A tick between two chunks is the end of the first.
        const auto chunk_of = [&](std::uint64_t step) { return (std::max(tick_from(0, last_tick, step), 1U) - 1) / width; };
        std::uint64_t piece_count = 0;
        for (const AllocationId id : by_start_) {
            if (id.value % 1024 == 0) check_stop();
            const std::span<const PathPoint> points = timeline_.recorded_path(id);
            piece_count += chunk_of(points.back().step) - chunk_of(points.front().step) + 1;
        }
        mesh_.pieces.reserve(piece_count);
    }

    void write_chunk(std::uint32_t first_tick, std::uint32_t last_tick) {
        Chunk chunk{static_cast<std::uint32_t>(mesh_.records.size()), 0, first_tick, last_tick, 0, 0};
        const auto first_piece = static_cast<std::uint32_t>(mesh_.pieces.size());
        while (next_start_ < by_start_.size() &&
               timeline_.recorded_path(by_start_[next_start_]).front().step <= steps_[last_tick]) {
            open_.push_back({by_start_[next_start_++], 0});
        }
        std::vector<OpenPath> still_open;
        for (OpenPath& path : open_) {
            const auto piece = static_cast<std::uint32_t>(mesh_.pieces.size()) - first_piece;
            if (piece >= 1U << mesh_.piece_bits) fail_too_many_live();
            if (piece % 1024 == 0) check_stop();
            mesh_.pieces.push_back(path.id.value);
            write_piece(path, chunk, piece);
            if (timeline_.recorded_path(path.id).back().step > steps_[last_tick]) still_open.push_back(path);
        }
        open_.swap(still_open);
        chunk.record_count = static_cast<std::uint32_t>(mesh_.records.size()) - chunk.first_record;
        mesh_.records.resize(chunk.first_record + padded(chunk.record_count), Record{0, 0});
        if (has_high_words_) mesh_.high_words.resize(mesh_.records.size(), 0);
        mesh_.groups.resize(mesh_.records.size() / k_group_records, {first_tick, first_piece});
        mesh_.chunks.push_back(chunk);
    }

    void write_piece(OpenPath& path, Chunk& chunk, std::uint32_t piece) {
        const std::span<const PathPoint> points = timeline_.recorded_path(path.id);
        const std::uint64_t left = std::max(steps_[chunk.first_tick], points.front().step);
        const std::uint64_t right = std::min(steps_[chunk.last_tick], points.back().step);
        std::size_t& next = path.next_point;
        tick_ = chunk.first_tick;
        const auto ends_piece = [&](std::size_t i) {
            return points[i].step > right ||
                   (points[i].step == right && (i + 1 == points.size() || points[i + 1].step > right));
        };
        put(Record::k_start, left, height_before(points, next, left), chunk, piece, path.id);
        if (points[next].step == left && !ends_piece(next)) ++next;
        for (; !ends_piece(next); ++next) {
            put(0, points[next].step, points[next].offset_bytes, chunk, piece, path.id);
        }
        put(Record::k_end, right, height_before(points, next, right), chunk, piece, path.id);
    }

    /// The path's height at a step that lies between points next - 1 and next, both included.
    static std::uint64_t height_before(std::span<const PathPoint> points, std::size_t next, std::uint64_t step) {
        const PathPoint& b = points[next];
        if (next == 0 || b.step <= step) return b.offset_bytes;
        const PathPoint& a = points[next - 1];
        const double share = static_cast<double>(step - a.step) / static_cast<double>(b.step - a.step);
        const double low = static_cast<double>(a.offset_bytes) +
                           share * (static_cast<double>(b.offset_bytes) - static_cast<double>(a.offset_bytes));
        return static_cast<std::uint64_t>(low);
    }

    /// The tick of a step, which lies from one tick to another; mostly near the first.
    std::uint32_t tick_from(std::uint32_t first, std::uint32_t last, std::uint64_t step) const {
        std::uint32_t stride = 1;
        for (; stride < last - first && steps_[first + stride] < step; stride *= 2) first += stride;
        const auto begin = steps_.begin() + first;
        const auto end = steps_.begin() + std::min(first + stride, last) + 1;
        return first + static_cast<std::uint32_t>(std::ranges::lower_bound(begin, end, step) - begin);
    }

    void put(std::uint32_t flags, std::uint64_t step, std::uint64_t low, Chunk& chunk, std::uint32_t piece,
             AllocationId id) {
        tick_ = tick_from(tick_, chunk.last_tick, step);
        const std::uint64_t size = timeline_.trace().allocations.size_bytes[id.value];
        chunk.high_bytes = std::max(chunk.high_bytes, low + size);
        mesh_.records.push_back(make_record(mesh_, flags, tick_ - chunk.first_tick, piece, low));
        if (has_high_words_) mesh_.high_words.push_back(static_cast<std::uint32_t>(low >> 32));
    }

    const Timeline& timeline_;
    Mesh& mesh_;
    std::vector<std::uint64_t>& steps_;
    std::vector<AllocationId> by_start_;
    std::size_t next_start_ = 0;
    std::vector<OpenPath> open_;
    bool has_high_words_ = false;
    std::uint32_t tick_ = 0;  ///< of the newest record
};

}  // namespace

Mesh build_path_mesh(const Timeline& timeline) {
    Mesh mesh;
    PathMeshBuilder(timeline, mesh).build();
    return mesh;
}

}  // namespace snapviewer
