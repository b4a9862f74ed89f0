#include "core/load/profilers/ascend/records.h"

#include <algorithm>
#include <tuple>

#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/profilers/ascend/blocks_so_far.h"
#include "core/load/profilers/ascend/totals.h"
#include "core/load/profilers/ascend/values.h"
#include "core/load/profilers/probe.h"

namespace snapviewer::ascend {
namespace {

constexpr std::int64_t k_day_ns = 86'400'000'000'000;
constexpr std::int64_t k_rows_between_looks = 4096;

/// Sorts the rows stably; faster if they are sorted already, as they mostly are.
template <typename Rows, typename Order>
void sort_if_needed(Rows& rows, Order order) {
    if (!std::ranges::is_sorted(rows, {}, order)) std::ranges::stable_sort(rows, {}, order);
}

class Reader {
public:
    Reader(SqliteFile& file, Snapshot& snapshot) : file_(file), log_(snapshot.log), snapshot_(snapshot) {}

    MemoryRows run() {
        TotalsReading totals(file_);
        read_blocks();
        raw_ = totals.finish(log_);
        if (totals.first_ns()) keep_first(first_ns_, *totals.first_ns());
        out_.first_ns = first_ns_.value_or(0);
        for (const auto& [key, rows] : raw_) out_.texts.want(key.second);
        out_.texts.read(file_, snapshot_);
        sort_totals();
        for (auto& [device, rows] : out_.devices) {
            sort_if_needed(rows.blocks, [](const BlockRow& b) { return std::tuple(b.alloc_ns, b.row_id); });
            drop_far_off(rows);
            drop_duplicates(rows);
            assign_components(rows);
        }
        return std::move(out_);
    }

private:
    DeviceRows& device(std::int32_t number) {
        if (out_.devices.size() >= limits::k_devices && !out_.devices.contains(number)) fail("names more than 1024 devices");
        return out_.devices[number];
    }

    void read_blocks() {
        const std::string sql = select_columns(file_, "OP_MEMORY",
                                               {Wanted::expression(row_number_of(file_, "OP_MEMORY")),
                                                {"name"},
                                                {"size"},
                                                {"allocationTime", "allocation_time"},
                                                {"releaseTime", "release_time"},
                                                {"activeReleaseTime", "active_release_time"},
                                                {"allocationTotalAllocated", "allocation_total_allocated"},
                                                {"streamPtr", "stream_ptr"},
                                                {"deviceId", "device_id"}});
        TableRows rows(file_, "OP_MEMORY", sql);
        std::int64_t row_id = 0;
        BlocksSoFar so_far(file_);
        while (rows.next()) {
            take_block(*rows, ++row_id);
            if (row_id % k_rows_between_looks == 0) so_far.show_if_asked(out_.devices, out_.texts);
        }
        rows.note_end(log_);
    }

    void take_block(const SqliteRows& rows, std::int64_t row_id) {
        const auto size = whole_number(rows, 2);
        const auto alloc = moment(rows, 3);
        if (const auto stored = rows.stored_integer(3)) keep_first(first_ns_, *stored);
        if (!alloc && size && *size < 0) {
            log_.add(ImportCode::release_without_allocation,
                     "OP_MEMORY rows that record only the release of a block from before the profile; they are only in the "
                     "table");
            return;
        }
        if (!size || *size <= 0 || !alloc) {
            log_.add(
                ImportCode::rows_not_drawn,
                "OP_MEMORY rows without a usable size or allocation time; they are in the table, but not in the picture");
            return;
        }
        if (*size > limits::k_profiled_block_bytes || sizes_together_ > limits::k_profiled_bytes) {
            log_.add(ImportCode::size_impossible,
                     "OP_MEMORY rows with more bytes than any device has; they are in the table, but not in the picture");
            return;
        }
        sizes_together_ += *size;
        BlockRow block;
        block.row_id = whole_number(rows, 0).value_or(row_id);
        block.name = whole_number(rows, 1).value_or(k_no_string);
        block.size_bytes = *size;
        block.alloc_ns = *alloc;
        block.release_ns = end_time(rows, 4, *alloc);
        block.active_release_ns = end_time(rows, 5, *alloc);
        block.total_allocated = whole_number(rows, 6).value_or(-1);
        preview(block.total_allocated);
        if (const auto stream = whole_number(rows, 7)) {
            block.stream = *stream;
            block.has_stream = true;
        }
        out_.texts.want(block.name);
        device(device_number(rows, 8)).blocks.push_back(block);
        if (++block_count_ >= limits::k_allocations) fail("holds more than four billion blocks");
    }

    /// Updates the preview of total memory that is shown while the file is being loaded.
    void preview(std::int64_t total_bytes) {
        Progress* const progress = Context::current().progress;
        if (progress == nullptr || total_bytes < 0 || total_bytes > limits::k_profiled_bytes) return;
        progress->totals().add(total_bytes - previewed_bytes_);
        previewed_bytes_ = total_bytes;
    }

    /// Reads the end of a block. NULL, and the 0 or -1 that other writers store instead, mean that the block has no end.
    std::int64_t end_time(const SqliteRows& rows, int column, std::int64_t alloc_ns) {
        const auto time = moment(rows, column);
        if (!time) return k_no_ns;
        if (*time > alloc_ns) return *time;
        log_.add(ImportCode::released_before_allocated,
                 "blocks that end before they begin; they are drawn as alive up to the end");
        return k_no_ns;
    }

    Component component_of(std::int64_t id) const {
        const std::string name = out_.texts.text(snapshot_, id);
        for (const Component known : {Component::pta, Component::ge, Component::pta_ge, Component::workspace}) {
            if (name == component_name(known)) return known;
        }
        return Component::unknown;
    }

    /// Merges the lists of each component, because the same name may have several ids, and sorts them by time.
    void sort_totals() {
        for (auto& [key, rows] : raw_) {
            const Component component = component_of(key.second);
            if (component == Component::unknown) {
                log_.add(ImportCode::component_unknown,
                         "MEMORY_RECORD rows without the name of their allocator; they are left out of the curves", {},
                         rows.size());
                continue;
            }
            std::vector<TotalsRow>& all = device(key.first).of(component);
            if (all.empty())
                all = std::move(rows);
            else
                all.insert(all.end(), rows.begin(), rows.end());
        }
        raw_.clear();
        for (auto& [number, rows] : out_.devices) {
            for (std::vector<TotalsRow>& totals : rows.totals) sort_if_needed(totals, &TotalsRow::time_ns);
        }
    }

    /// Drops rows with outlying times, so that a clock that was set during the profile, or damaged data, cannot stretch the
    /// picture over years.
    void drop_far_off(DeviceRows& rows) {
        if (rows.blocks.empty()) return;
        const std::size_t edge = std::min((rows.blocks.size() - 1) / 2, std::max<std::size_t>(1, rows.blocks.size() / 1000));
        const std::int64_t first_ns = rows.blocks[edge].alloc_ns;
        const std::int64_t last_ns = rows.blocks[rows.blocks.size() - 1 - edge].alloc_ns;
        const auto is_far_off = [&](std::int64_t time_ns) {
            return time_ns < first_ns - k_day_ns || time_ns > last_ns + k_day_ns;
        };
        const auto dropped = std::erase_if(rows.blocks, [&](const BlockRow& block) {
            return is_far_off(block.alloc_ns) || (block.end_ns() != k_no_ns && is_far_off(block.end_ns()));
        });
        note_far_off(dropped);
        for (std::vector<TotalsRow>& totals : rows.totals)
            note_far_off(std::erase_if(totals, [&](const TotalsRow& row) { return is_far_off(row.time_ns); }));
    }

    void note_far_off(std::size_t count) {
        if (count == 0) return;
        log_.add(ImportCode::times_far_off,
                 "rows whose times are more than a day away from all others; they are in the tables, but not in the picture",
                 {}, count);
    }

    void drop_duplicates(DeviceRows& rows) {
        const auto key = [](const BlockRow& b) {
            return std::tuple(b.alloc_ns, b.name, b.size_bytes, b.release_ns, b.active_release_ns, b.total_allocated,
                              b.stream, b.has_stream);
        };
        for (auto first = rows.blocks.begin(); first != rows.blocks.end();) {
            auto last = first + 1;
            while (last != rows.blocks.end() && last->alloc_ns == first->alloc_ns) ++last;
            if (last - first > 1) {
                std::sort(first, last, [&](const BlockRow& a, const BlockRow& b) {
                    return std::tuple(key(a), a.row_id) < std::tuple(key(b), b.row_id);
                });
            }
            first = last;
        }
        const auto same = std::ranges::unique(rows.blocks, {}, key);
        const std::size_t count = same.size();
        rows.blocks.erase(same.begin(), same.end());
        if (count == 0) return;
        log_.add(ImportCode::duplicate_rows, "OP_MEMORY rows that are exact copies of others; each block is drawn once", {},
                 count);
    }

    /// Assigns each block the component whose total after the allocation equals the total in the block's row. Other blocks
    /// are assigned by stream and name.
    void assign_components(DeviceRows& rows) {
        for (const Component component : {Component::pta, Component::ge, Component::workspace}) {
            auto at = rows.of(component).begin();
            const auto end = rows.of(component).end();
            for (BlockRow& block : rows.blocks) {
                while (at != end && at->time_ns < block.alloc_ns) ++at;
                for (auto same = at; same != end && same->time_ns == block.alloc_ns; ++same) {
                    if (same->allocated == block.total_allocated && block.component == Component::unknown)
                        block.component = component;
                }
            }
        }
        for (BlockRow& block : rows.blocks) {
            if (block.component != Component::unknown) continue;
            const std::string name = block.has_stream ? "" : out_.texts.text(snapshot_, block.name);
            const bool is_torch = block.has_stream || name.starts_with("aten::") || name.starts_with("npu::");
            block.component = is_torch ? Component::pta : Component::ge;
        }
    }

    SqliteFile& file_;
    ImportLog& log_;
    Snapshot& snapshot_;
    MemoryRows out_;
    RawTotals raw_;
    std::optional<std::int64_t> first_ns_;
    std::int64_t previewed_bytes_ = 0;
    std::uint64_t block_count_ = 0;
    std::int64_t sizes_together_ = 0;
};

}  // namespace

const char* component_name(Component component) {
    switch (component) {
        case Component::pta: return "PTA";
        case Component::ge: return "GE";
        case Component::pta_ge: return "PTA+GE";
        case Component::workspace: return "WORKSPACE";
        case Component::unknown: return "(unknown)";
    }
    return "";
}

void Texts::read(SqliteFile& file, Snapshot& snapshot) {
    TableRows rows(file, "STRING_IDS", select_columns(file, "STRING_IDS", {{"id"}, {"value"}}));
    while (rows.next()) {
        const std::int64_t id = rows->integer(0);
        if (!wanted_.contains(id) || found_.contains(id) || rows->type(1) == ValueType::null) continue;
        found_.emplace(id, snapshot.strings.intern(rows->text(1)));
    }
    rows.note_end(snapshot.log);
}

StringId Texts::find(std::int64_t id) const {
    const auto found = found_.find(id);
    return found == found_.end() ? StringId::none() : found->second;
}

std::string Texts::text(const Snapshot& snapshot, std::int64_t id) const {
    const StringId found = find(id);
    if (found.is_some()) return std::string(snapshot.strings.view(found));
    return id == k_no_string ? "(unknown)" : "#" + std::to_string(id);
}

std::string of_device(const SqliteFile& file, std::string_view table, std::int32_t device) {
    const auto column = file.find_column(table, {"deviceId", "device_id"});
    if (!column) return "1";
    return sql_name(*column) + " IS " + (device == k_no_device ? "NULL" : std::to_string(device));
}

std::string is_word(const SqliteFile& file, std::string_view column, std::string_view word) {
    const std::string ids = file.find_column("ENUM_MEMORY", {"name"})   ? "SELECT id FROM ENUM_MEMORY WHERE name"
                            : file.find_column("STRING_IDS", {"value"}) ? "SELECT id FROM STRING_IDS WHERE value"
                                                                        : "SELECT NULL WHERE ''";
    return sql_name(column) + " IN (" + ids + " = '" + std::string(word) + "')";
}

MemoryRows read_memory_rows(SqliteFile& file, Snapshot& snapshot) { return Reader(file, snapshot).run(); }

}  // namespace snapviewer::ascend
