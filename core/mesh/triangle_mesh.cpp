#include "core/mesh/triangle_mesh.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "core/base/context.h"

namespace snapviewer::mesh {
namespace {

/// Minimum number of records of a full chunk, besides those of the allocations that are live when it begins. A software
/// rasterizer draws the visible chunks only if they have at most 30,000 records together, so a chunk is a small part of
/// that.
constexpr std::size_t k_chunk_records = 4096;
/// Records of a chunk of recorded paths, which are always drawn from the mesh: large, so that pieces repeat few records.
constexpr std::size_t k_path_chunk_records = 16384;
constexpr std::uint32_t k_max_piece_bits = 24;
constexpr std::uint32_t k_mesh_ticks_between_stop_checks = 256;

Record make_record(const TriangleMesh& mesh, std::uint32_t flags, std::uint32_t tick_in_chunk, std::uint32_t piece_in_chunk,
                   std::uint64_t low_bytes) {
    const std::uint64_t units = low_bytes >> mesh.unit_shift;
    return {flags | tick_in_chunk << mesh.piece_bits | piece_in_chunk,
            static_cast<std::uint32_t>(std::min<std::uint64_t>(units, 0xFFFFFFFF))};
}

/// The largest number of ticks of a chunk.
std::uint32_t tick_limit(std::uint32_t piece_bits) { return (1U << (Record::k_place_bits - piece_bits)) - 1; }

/// Returns the number of bits for the piece in Record::place: enough for twice the largest number of live allocations,
/// because further pieces begin within a chunk, but at least 15, which leaves as many for the ticks of a chunk.
std::uint32_t piece_bits_for(std::size_t max_live) {
    return std::max(15U, static_cast<std::uint32_t>(std::bit_width(2 * max_live)));
}

/// At most 31, because the shader shifts a word of 32 bits; heights from 2^63 bytes on are drawn at 2^63 bytes.
std::uint32_t mesh_unit_shift(std::uint64_t highest_bytes) {
    return std::min(31U, gpu_format::unit_shift_for(highest_bytes));
}

/// A number of records, rounded up to the next group border.
std::uint32_t padded(std::uint32_t record_count) {
    return (record_count + k_group_records - 1) / k_group_records * k_group_records;
}

[[noreturn]] void fail_too_many_live() {
    throw Failure{{ErrorCode::unsupported,
                   "more than 8 million allocations are live at the same time, which is more than can be drawn"}};
}

/// Returns the distinct steps at which any path has a point. Files mostly use every step up to the last one, so a bitmap is
/// faster than sorting.
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

/// The path of an allocation that continues in the current chunk.
struct OpenPath {
    AllocationId id;
    std::size_t next_point = 0;  ///< first point at or after the first step of the chunk
};

/// Writes the mesh of recorded paths chunk by chunk, from left to right.
class PathMeshBuilder {
public:
    PathMeshBuilder(const Timeline& timeline, TriangleMesh& mesh)
        : timeline_(timeline), mesh_(mesh), steps_(mesh.own_tick_steps) {}

    void build() {
        steps_ = distinct_steps(timeline_);
        std::uint64_t highest_bytes = 0;
        for (const PathPoint& point : timeline_.trace().recorded_paths.points)
            highest_bytes = std::max(highest_bytes, point.offset_bytes);
        mesh_.unit_shift = mesh_unit_shift(highest_bytes);
        mesh_.piece_bits = piece_bits_for(timeline_.max_live());
        if (mesh_.piece_bits > k_max_piece_bits) fail_too_many_live();
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
    /// Sorts allocations by the step of their first point. Most files are sorted, but they need not be.
    void order_by_start() {
        for (std::uint32_t i = 0; i < timeline_.allocation_count(); ++i) by_start_.push_back(AllocationId{i});
        OccasionalStopCheck check;
        std::ranges::stable_sort(by_start_, {}, [this, &check](AllocationId id) {
            check();
            return timeline_.recorded_path(id).front().step;
        });
    }

    /// Ticks per chunk such that chunks hold about k_path_chunk_records on average.
    std::uint32_t chunk_ticks() const {
        const std::size_t points = timeline_.trace().recorded_paths.points.size();
        const std::size_t ticks = steps_.size() * k_path_chunk_records / std::max<std::size_t>(points, 1);
        return static_cast<std::uint32_t>(std::clamp<std::size_t>(ticks, 16, tick_limit(mesh_.piece_bits)));
    }

    /// Reserves memory for all pieces, so that a file with too many of them fails before any is written: an allocation that
    /// lives throughout the recording has a piece in every chunk.
    void reserve_pieces() {
        const auto last_tick = static_cast<std::uint32_t>(steps_.size() - 1);
        const std::uint32_t width = chunk_ticks();
        // A tick between two chunks belongs to the first of them.
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
        mesh_.groups.resize(mesh_.records.size() / k_group_records, {first_tick, first_piece});
        mesh_.chunks.push_back(chunk);
    }

    void write_piece(OpenPath& path, Chunk& chunk, std::uint32_t piece) {
        const std::span<const PathPoint> points = timeline_.recorded_path(path.id);
        const std::uint64_t left = std::max(steps_[chunk.first_tick], points.front().step);
        const std::uint64_t right = std::min(steps_[chunk.last_tick], points.back().step);
        std::size_t& next = path.next_point;
        tick_ = chunk.first_tick;
        const auto height_at = [](std::span<const PathPoint> of, std::size_t at, std::uint64_t step) {
            return static_cast<std::uint64_t>(path_height(of, at, static_cast<double>(step)));
        };
        const auto ends_piece = [&](std::size_t i) {
            return points[i].step > right ||
                   (points[i].step == right && (i + 1 == points.size() || points[i + 1].step > right));
        };
        put(Record::k_start, left, height_at(points, next, left), chunk, piece, path.id);
        if (points[next].step == left && !ends_piece(next)) ++next;
        for (; !ends_piece(next); ++next) {
            put(0, points[next].step, points[next].offset_bytes, chunk, piece, path.id);
        }
        put(Record::k_end, right, height_at(points, next, right), chunk, piece, path.id);
    }

    /// Returns the tick of a step, which lies between two ticks, mostly near the first.
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
    }

    const Timeline& timeline_;
    TriangleMesh& mesh_;
    std::vector<std::uint64_t>& steps_;
    std::vector<AllocationId> by_start_;
    std::size_t next_start_ = 0;
    std::vector<OpenPath> open_;
    std::uint32_t tick_ = 0;  ///< tick of the newest record
};

/// Decides where a chunk of a timeline's mesh ends, and counts its records and pieces before they are written.
class ChunkCount {
public:
    explicit ChunkCount(std::uint32_t piece_bits)
        : max_pieces_((std::size_t{1} << piece_bits) - 1), max_ticks_(tick_limit(piece_bits)) {}

    /// Begins a chunk at a tick; `live` allocations have a piece in it from the start.
    void begin(std::uint32_t tick, std::size_t live) {
        first_tick_ = tick;
        pieces_ = live;
        records_ = 2 * live;
        full_at_ = records_ + std::max(k_chunk_records, records_);
    }
    void add_alloc() {
        ++pieces_;
        records_ += 2;
    }
    void add_free(std::size_t above) { records_ += above; }
    bool is_full(std::uint32_t tick) const {
        return records_ >= full_at_ || pieces_ >= max_pieces_ || tick - first_tick_ >= max_ticks_;
    }

    std::size_t pieces() const { return pieces_; }
    std::size_t records() const { return records_; }

private:
    std::size_t max_pieces_;
    std::uint32_t max_ticks_;
    std::uint32_t first_tick_ = 0;
    std::size_t pieces_ = 0, records_ = 0, full_at_ = 0;
};

/// Writes the mesh of a timeline tick by tick. The records of a chunk are first collected in the order of their ticks, then
/// sorted by piece, since a triangle strip needs those of a piece one after another.
class MeshWriter {
public:
    MeshWriter(const Timeline& timeline, TriangleMesh& mesh)
        : timeline_(timeline), sizes_(timeline.trace().allocations.size_bytes), mesh_(mesh), count_(mesh.piece_bits) {}

    void write() {
        for (std::uint32_t id = 0; id < timeline_.trace().initial_count; ++id) push(AllocationId{id});
        begin_chunk(0);
        const std::uint32_t right_edge = timeline_.tick_count() - 1;
        for (std::uint32_t tick = 1; tick < right_edge; ++tick) {
            if (tick % k_mesh_ticks_between_stop_checks == 0) check_stop();
            if (count_.is_full(tick)) {
                end_chunk(tick);
                begin_chunk(tick);
            }
            const AllocationId id = timeline_.allocation_at_tick(tick);
            if (timeline_.is_free(tick))
                free(id, tick - chunk_.first_tick);
            else
                alloc(id, tick - chunk_.first_tick);
        }
        end_chunk(right_edge);
    }

private:
    void push(AllocationId id) {
        ids_.push_back(id);
        lows_.push_back(total_bytes_);
        total_bytes_ += sizes_[id.value];
    }

    void begin_chunk(std::uint32_t tick) {
        chunk_ = {static_cast<std::uint32_t>(mesh_.records.size()), 0, tick, tick, 0, total_bytes_};
        first_piece_ = mesh_.pieces.size();
        count_.begin(tick, ids_.size());
        pieces_.clear();
        for (std::size_t i = 0; i < ids_.size(); ++i) begin_piece(i, 0);
    }

    void begin_piece(std::size_t position, std::uint32_t tick_in_chunk) {
        pieces_.push_back(static_cast<std::uint32_t>(mesh_.pieces.size() - first_piece_));
        mesh_.pieces.push_back(ids_[position].value);
        record_counts_.push_back(0);
        put(position, Record::k_start, tick_in_chunk);
    }

    void alloc(AllocationId id, std::uint32_t tick_in_chunk) {
        push(id);
        begin_piece(ids_.size() - 1, tick_in_chunk);
        count_.add_alloc();
        chunk_.high_bytes = std::max(chunk_.high_bytes, total_bytes_);
    }

    void free(AllocationId id, std::uint32_t tick_in_chunk) {
        const auto position = static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin());
        put(position, Record::k_end, tick_in_chunk);
        const auto at = static_cast<std::ptrdiff_t>(position);
        ids_.erase(ids_.begin() + at);
        lows_.erase(lows_.begin() + at);
        pieces_.erase(pieces_.begin() + at);
        const std::uint64_t size_bytes = sizes_[id.value];
        total_bytes_ -= size_bytes;
        count_.add_free(ids_.size() - position);
        for (std::size_t i = position; i < ids_.size(); ++i) {
            lows_[i] -= size_bytes;
            put(i, 0, tick_in_chunk);
        }
    }

    void put(std::size_t position, std::uint32_t flags, std::uint32_t tick_in_chunk) {
        by_tick_.push_back(make_record(mesh_, flags, tick_in_chunk, pieces_[position], lows_[position]));
        ++record_counts_[pieces_[position]];
    }

    void end_chunk(std::uint32_t tick) {
        check_stop();
        for (std::size_t i = 0; i < ids_.size(); ++i) put(i, Record::k_end, tick - chunk_.first_tick);
        sort_by_piece();
        chunk_.last_tick = tick;
        mesh_.chunks.push_back(chunk_);
        report_done(tick, timeline_.tick_count());
    }

    /// A counting sort, which is stable.
    void sort_by_piece() {
        chunk_.record_count = static_cast<std::uint32_t>(by_tick_.size());
        mesh_.records.resize(mesh_.records.size() + padded(chunk_.record_count), Record{0, 0});
        mesh_.groups.resize(mesh_.records.size() / k_group_records,
                            {chunk_.first_tick, static_cast<std::uint32_t>(first_piece_)});
        std::uint32_t next = chunk_.first_record;
        for (std::uint32_t& count : record_counts_) next += std::exchange(count, next);  // replaces each count by a position
        const std::uint32_t piece_mask = (1U << mesh_.piece_bits) - 1;
        for (const Record& record : by_tick_) mesh_.records[record_counts_[record.place & piece_mask]++] = record;
        by_tick_.clear();
        record_counts_.clear();
    }

    const Timeline& timeline_;
    const std::vector<std::uint64_t>& sizes_;
    TriangleMesh& mesh_;
    ChunkCount count_;
    Chunk chunk_;
    std::size_t first_piece_ = 0;  ///< index in TriangleMesh::pieces of the chunk's first piece
    // The live allocations, lowest first, as parallel columns, because a free changes all allocations above it.
    std::vector<AllocationId> ids_;
    std::vector<std::uint64_t> lows_;
    std::vector<std::uint32_t> pieces_;  ///< number of the piece within the chunk
    std::uint64_t total_bytes_ = 0;
    // The records of the current chunk so far.
    std::vector<Record> by_tick_;
    std::vector<std::uint32_t> record_counts_;  ///< number of records of each piece of the chunk
};

}  // namespace

std::uint64_t TriangleMesh::memory_bytes() const {
    return MeshSize{records.size(), pieces.size(), chunks.size()}.memory_bytes() +
           own_tick_steps.size() * sizeof(std::uint64_t);
}

std::uint64_t MeshSize::memory_bytes() const {
    return records * sizeof(Record) + records / k_group_records * sizeof(ChunkBase) + pieces * sizeof(std::uint32_t) +
           chunks * sizeof(Chunk);
}

std::optional<MeshSize> mesh_size_of(const Timeline& timeline) {
    // A record replaces two points of a path, but the first and the last point of a path have records of their own.
    if (timeline.has_recorded_paths() || timeline.path_point_count() / 2 + timeline.allocation_count() > k_max_mesh_records)
        return std::nullopt;
    MeshSize size;
    ChunkCount chunk(piece_bits_for(timeline.max_live()));
    const auto end_chunk = [&] {
        ++size.chunks;
        size.pieces += chunk.pieces();
        size.records += padded(static_cast<std::uint32_t>(chunk.records()));
    };
    LiveList live;
    for (std::uint32_t id = 0; id < timeline.trace().initial_count; ++id) live.push_back(AllocationId{id});
    chunk.begin(0, live.size());
    const std::uint32_t right_edge = timeline.tick_count() - 1;
    for (std::uint32_t tick = 1; tick < right_edge; ++tick) {
        if (tick % k_mesh_ticks_between_stop_checks == 0) check_stop();
        if (chunk.is_full(tick)) {
            end_chunk();
            if (size.records > k_max_mesh_records) return std::nullopt;
            chunk.begin(tick, live.size());
        }
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (timeline.is_free(tick)) {
            chunk.add_free(live.erase(id));
        } else {
            live.push_back(id);
            chunk.add_alloc();
        }
    }
    end_chunk();
    return size.records > k_max_mesh_records ? std::nullopt : std::optional(size);
}

std::optional<TriangleMesh> build_triangle_mesh(const Timeline& timeline) {
    const std::optional<MeshSize> size = mesh_size_of(timeline);
    if (!size) return std::nullopt;
    TriangleMesh mesh;
    mesh.piece_bits = piece_bits_for(timeline.max_live());
    mesh.unit_shift = mesh_unit_shift(timeline.peak_bytes());
    mesh.records.reserve(size->records);
    mesh.groups.reserve(size->records / k_group_records);
    mesh.pieces.reserve(size->pieces);
    mesh.chunks.reserve(size->chunks);
    MeshWriter(timeline, mesh).write();
    return mesh;
}

TriangleMesh build_path_mesh(const Timeline& timeline) {
    TriangleMesh mesh;
    PathMeshBuilder(timeline, mesh).build();
    return mesh;
}

}  // namespace snapviewer::mesh
