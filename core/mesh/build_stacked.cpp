#include <atomic>
#include <future>
#include <thread>

#include "core/base/worker.h"
#include "core/mesh/build.h"

namespace snapviewer::mesh_detail {
namespace {

/// The live allocations while a chunk is walked, lowest first: parallel arrays, so that what a drop does to everything
/// above it is one straight loop.
struct LiveStack {
    std::vector<AllocationId> ids;
    std::vector<std::uint32_t> pieces;

    std::size_t position_of(AllocationId id) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(ids, id) - ids.begin());
    }
    void push(AllocationId id, std::uint32_t piece) {
        ids.push_back(id);
        pieces.push_back(piece);
    }
    void erase(std::size_t position) {
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(position));
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(position));
    }
};

/// Cuts the ticks into chunks and counts their records. A chunk holds the ticks [first_tick, last_tick).
std::vector<ChunkPlan> plan_chunks(const Timeline& timeline, const Mesh& mesh) {
    std::vector<ChunkPlan> plans;
    std::vector<AllocationId> live = timeline.live_after_tick(0);
    const std::uint32_t right_edge = timeline.tick_count() - 1;
    const std::uint32_t piece_limit = (1U << mesh.piece_bits) - 1;
    const auto open_chunk = [&](std::uint32_t tick) {
        ChunkPlan plan;
        plan.chunk.first_tick = tick;
        plan.chunk.record_count = 2 * static_cast<std::uint32_t>(live.size());
        plan.piece_count = static_cast<std::uint32_t>(live.size());
        plan.chunk.high_bytes = timeline.total_after_tick(tick == 0 ? 0 : tick - 1);
        plans.push_back(plan);
        return std::max(k_chunk_records, 16 * live.size());
    };
    std::size_t room = open_chunk(0);
    for (std::uint32_t tick = 1; tick < right_edge; ++tick) {
        const bool is_full = plans.back().chunk.record_count >= room || plans.back().piece_count >= piece_limit ||
                             tick - plans.back().chunk.first_tick >= tick_limit(mesh);
        if (is_full) {
            plans.back().chunk.last_tick = tick;
            room = open_chunk(tick);
        }
        ChunkPlan& plan = plans.back();
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (timeline.is_free(tick)) {
            const auto at = live.erase(std::ranges::lower_bound(live, id));
            plan.chunk.record_count += static_cast<std::uint32_t>(live.end() - at);
        } else {
            live.push_back(id);
            plan.chunk.record_count += 2;
            ++plan.piece_count;
        }
        plan.chunk.high_bytes = std::max(plan.chunk.high_bytes, timeline.total_after_tick(tick));
    }
    plans.back().chunk.last_tick = right_edge;
    return plans;
}

/// Writes the records of one chunk. Owns nothing but scratch, so that each thread reuses its own.
class ChunkWriter {
public:
    ChunkWriter(const Timeline& timeline, Mesh& mesh) : timeline_(timeline), mesh_(mesh) {}

    void write(const ChunkPlan& plan) {
        plan_ = &plan;
        walk_to_count();
        walk_to_write();
    }

private:
    void reset() {
        const std::uint32_t tick = plan_->chunk.first_tick;
        live_.ids = timeline_.live_after_tick(tick == 0 ? 0 : tick - 1);
        live_.pieces.resize(live_.ids.size());
        for (std::uint32_t i = 0; i < live_.pieces.size(); ++i) live_.pieces[i] = i;
    }

    std::uint32_t first_change() const { return std::max(plan_->chunk.first_tick, 1U); }

    /// First walk: how many records each piece has, hence where each begins.
    void walk_to_count() {
        reset();
        std::uint32_t piece_count = static_cast<std::uint32_t>(live_.ids.size());
        drops_.assign(piece_count, 0);
        record_counts_.assign(plan_->piece_count, 2);
        for (std::uint32_t tick = first_change(); tick < plan_->chunk.last_tick; ++tick) {
            const AllocationId id = timeline_.allocation_at_tick(tick);
            if (!timeline_.is_free(tick)) {
                live_.push(id, piece_count++);
                drops_.push_back(0);
                continue;
            }
            const std::size_t position = live_.position_of(id);
            record_counts_[live_.pieces[position]] += drops_[position];
            live_.erase(position);
            drops_.erase(drops_.begin() + static_cast<std::ptrdiff_t>(position));
            for (std::size_t i = position; i < drops_.size(); ++i) ++drops_[i];
        }
        for (std::size_t i = 0; i < drops_.size(); ++i) record_counts_[live_.pieces[i]] += drops_[i];
        std::uint32_t next = plan_->chunk.first_record;
        for (std::uint32_t& count : record_counts_) next += std::exchange(count, next);  // counts become first records
    }

    /// Second walk: the same, writing. All arrays are parallel to the live stack.
    void walk_to_write() {
        reset();
        std::uint32_t piece_count = static_cast<std::uint32_t>(live_.ids.size());
        lows_.clear();
        cursors_.clear();
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < live_.ids.size(); ++i) begin_piece(i, 0, total);
        for (std::uint32_t tick = first_change(); tick < plan_->chunk.last_tick; ++tick) {
            const std::uint32_t tick_in_chunk = tick - plan_->chunk.first_tick;
            const AllocationId id = timeline_.allocation_at_tick(tick);
            if (timeline_.is_free(tick)) {
                total -= size_of(id);
                drop_above(live_.position_of(id), tick_in_chunk);
            } else {
                live_.push(id, piece_count++);
                begin_piece(live_.ids.size() - 1, tick_in_chunk, total);
            }
        }
        const std::uint32_t last = plan_->chunk.last_tick - plan_->chunk.first_tick;
        for (std::size_t i = 0; i < live_.ids.size(); ++i) put(i, Record::k_end, last);
    }

    void begin_piece(std::size_t position, std::uint32_t tick_in_chunk, std::uint64_t& total) {
        const std::uint32_t piece = live_.pieces[position];
        mesh_.pieces[plan_->first_piece + piece] = live_.ids[position].value;
        lows_.push_back(total);
        cursors_.push_back(record_counts_[piece]);
        put(position, Record::k_start, tick_in_chunk);
        total += size_of(live_.ids[position]);
    }

    void drop_above(std::size_t position, std::uint32_t tick_in_chunk) {
        put(position, Record::k_end, tick_in_chunk);
        const std::uint64_t size = size_of(live_.ids[position]);
        live_.erase(position);
        lows_.erase(lows_.begin() + static_cast<std::ptrdiff_t>(position));
        cursors_.erase(cursors_.begin() + static_cast<std::ptrdiff_t>(position));
        for (std::size_t i = position; i < lows_.size(); ++i) {
            lows_[i] -= size;
            put(i, 0, tick_in_chunk);
        }
    }

    void put(std::size_t position, std::uint32_t flags, std::uint32_t tick_in_chunk) {
        const std::uint32_t at = cursors_[position]++;
        mesh_.records[at] = make_record(mesh_, flags, tick_in_chunk, live_.pieces[position], lows_[position]);
        if (!mesh_.high_words.empty()) mesh_.high_words[at] = static_cast<std::uint32_t>(lows_[position] >> 32);
    }

    std::uint64_t size_of(AllocationId id) const { return timeline_.trace().allocations.size_bytes[id.value]; }

    const Timeline& timeline_;
    Mesh& mesh_;
    const ChunkPlan* plan_ = nullptr;
    LiveStack live_;
    std::vector<std::uint32_t> drops_;
    std::vector<std::uint32_t> record_counts_;
    std::vector<std::uint64_t> lows_;
    std::vector<std::uint32_t> cursors_;
};

}  // namespace

Status build_stacked(const Timeline& timeline, Mesh& mesh, std::uint64_t record_budget_bytes, Progress& progress) {
    // Two path points make a record: well above the budget, there is no need to count.
    if (timeline.path_point_count() / 2 * sizeof(Record) > record_budget_bytes) return {};
    mesh.piece_bits = piece_bits_for(timeline.most_live());
    if (mesh.piece_bits > k_most_piece_bits) return too_many_live();
    std::vector<ChunkPlan> plans = plan_chunks(timeline, mesh);
    std::uint64_t record_count = 0;
    for (const ChunkPlan& plan : plans) record_count += padded(plan.chunk.record_count);
    const bool has_high_words = timeline.peak_bytes() >> 32 != 0;
    const std::size_t record_bytes = sizeof(Record) + (has_high_words ? sizeof(std::uint32_t) : 0);
    if (record_count * record_bytes > record_budget_bytes) return {};
    reserve_chunks(mesh, plans, has_high_words);

    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        ChunkWriter writer(timeline, mesh);
        for (std::size_t index = next++; index < plans.size() && !progress.stop_requested(); index = next++) {
            writer.write(plans[index]);
            progress.update(index, plans.size());
        }
    };
    {
        const unsigned helper_count = plans.size() < 8 ? 0 : std::max(std::thread::hardware_concurrency(), 1U) - 1;
        std::vector<std::future<void>> helpers;
        for (unsigned i = 0; i < helper_count; ++i) helpers.push_back(begin_beside(work));
        work();
        for (std::future<void>& helper : helpers) helper.get();
    }
    if (progress.stop_requested()) return stopped();
    return {};
}

}  // namespace snapviewer::mesh_detail
