#include "core/load/profilers/ascend/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/base/import_log.h"
#include "core/base/job.h"
#include "core/base/limits.h"
#include "core/base/result.h"
#include "core/load/bytes/sources.h"

namespace snapviewer::profilers::ascend {
namespace {

/// Rows of MEMORY_RECORD by device and by the id of the component's name, in the order of the file.
using RawTotals = std::map<std::pair<std::int32_t, std::int64_t>, std::vector<TotalsRow>>;

constexpr const char* k_record_table = "MEMORY_RECORD";
/// Minimum number of rows for which a second thread is worth its connection, and minimum number of rows in a piece.
constexpr std::uint64_t k_min_rows_per_thread = 1 << 16;
constexpr std::uint64_t k_rows_per_range = 1 << 14;
constexpr std::uint64_t k_max_row_ranges = 64;
/// Limits the reserved capacity to this multiple of the rows that exist so far.
constexpr std::size_t k_max_reserve_factor = 8;

/// The first or last row number ("min" or "max"); nullopt if rows have no numbers.
std::optional<std::int64_t> edge(sqlite::SqliteFile& file, const char* function) {
    const auto row = first_row(file, fmt::format("SELECT {}(rowid) FROM {}", function, k_record_table));
    return row ? row->stored_integer(0) : std::nullopt;
}

/// Finds the list of a key. Remembers the last two lists, because the rows of two components often alternate.
class RecentLists {
public:
    explicit RecentLists(RawTotals& lists) : lists_(lists) {}

    std::vector<TotalsRow>& of(const RawTotals::key_type& key) {
        if (last_ == nullptr || last_->first != key) {
            std::swap(last_, before_);
            if (last_ == nullptr || last_->first != key) last_ = &*lists_.try_emplace(key).first;
        }
        return last_->second;
    }

private:
    RawTotals& lists_;
    RawTotals::value_type* last_ = nullptr;
    RawTotals::value_type* before_ = nullptr;
};

/// Reads MEMORY_RECORD, which has several rows for each block. A large table is read in pieces on two threads: a background
/// thread that the constructor starts, and the calling thread in finish(). `file` must outlive this object.
class TotalsReading {
public:
    explicit TotalsReading(sqlite::SqliteFile& file) : file_(file) {
        sql_ = select_columns(file_, k_record_table,
                              {"component", "timestamp|time_stamp", "totalAllocated|total_allocated",
                               "totalReserved|total_reserved", "totalActive|total_active", "deviceId|device_id"});
        cut_into_pieces();
        if (pieces_.size() == 1) return;
        helper_ = start_async([this] {
            // If the file cannot be opened again, finish() reads all pieces.
            if (auto own = file_.open_again()) read_pieces(**own);
        });
    }
    ~TotalsReading() { next_ = pieces_.size(); }
    TotalsReading(const TotalsReading&) = delete;
    TotalsReading& operator=(const TotalsReading&) = delete;

    /// Returns all rows before the first one that cannot be read, and logs that error. Throws Failure if the error ends the
    /// load.
    RawTotals finish(ImportLog& log) {
        read_pieces(file_);
        if (helper_.valid()) helper_.get();
        if (damage_) log_damage(log, k_record_table, *damage_);
        return std::move(all_);
    }
    /// The earliest positive time in the table. Call this after finish().
    std::optional<std::int64_t> first_ns() const { return first_ns_; }

private:
    struct Piece {
        std::string condition;  ///< SQL condition that selects the piece's rows
        RawTotals rows;
        std::optional<std::int64_t> first_ns;
        std::optional<Error> damage;
        bool is_read = false;
    };

    void cut_into_pieces() {
        pieces_.resize(1);
        // A column named "rowid" would hide the row numbers, which divide the table into pieces.
        if (sql_.empty() || file_.find_column(k_record_table, {"rowid"})) return;
        const std::optional<std::int64_t> first = edge(file_, "min");
        const std::optional<std::int64_t> last = edge(file_, "max");
        if (!first || !last || *last < *first) return;
        const std::uint64_t numbers = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
        if (numbers < k_min_rows_per_thread) return;
        const std::uint64_t count = std::min(numbers / k_rows_per_range, k_max_row_ranges);
        pieces_ = std::vector<Piece>(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto begin_of = [&](std::uint64_t piece) {
                return static_cast<std::int64_t>(static_cast<std::uint64_t>(*first) + numbers / count * piece);
            };
            pieces_[i].condition = fmt::format(" WHERE rowid >= {}", begin_of(i));
            if (i + 1 < count) pieces_[i].condition += fmt::format(" AND rowid < {}", begin_of(i + 1));
        }
    }

    void read_pieces(sqlite::SqliteFile& file) {
        for (std::size_t i = next_++; i < pieces_.size(); i = next_++) {
            report_done(i, pieces_.size());
            read_piece(file, pieces_[i]);
            const std::lock_guard lock(mutex_);
            pieces_[i].is_read = true;
            collect();
        }
    }

    void read_piece(sqlite::SqliteFile& file, Piece& piece) const {
        RecentLists lists(piece.rows);
        piece.damage = read_rows(file, sql_.empty() ? sql_ : sql_ + piece.condition, [&](const sqlite::SqliteRows& row) {
            if (const auto stored = row.stored_integer(1)) keep_first(piece.first_ns, *stored);
            const auto time = moment(row, 1);
            if (!time) return;
            const std::int64_t component = whole_number(row, 0).value_or(k_no_string);
            lists.of({device_number(row, 5), component})
                .push_back({*time, whole_number(row, 2).value_or(0), whole_number(row, 3).value_or(0),
                            whole_number(row, 4).value_or(0)});
        });
    }

    /// Appends the rows of all pieces before the first unread one and frees the pieces, so that few rows are in memory
    /// twice.
    void collect() {
        for (; !damage_ && collected_ < pieces_.size() && pieces_[collected_].is_read; ++collected_) {
            const Piece piece = std::move(pieces_[collected_]);
            for (const auto& [key, rows] : piece.rows) {
                std::vector<TotalsRow>& all = all_[key];
                const std::size_t count = all.size() + rows.size();
                // Reserves space for all pieces, assuming that they are alike. Unused capacity takes address space but no
                // memory.
                if (count > all.capacity())
                    all.reserve(std::min(k_max_reserve_factor * count, count * pieces_.size() / (collected_ + 1)));
                all.insert(all.end(), rows.begin(), rows.end());
            }
            if (piece.first_ns) keep_first(first_ns_, *piece.first_ns);
            damage_ = piece.damage;
        }
    }

    sqlite::SqliteFile& file_;
    std::string sql_;
    std::vector<Piece> pieces_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;           ///< Guards the members below and the pieces that have been read.
    std::size_t collected_ = 0;  ///< number of pieces, from the first, whose rows are in `all_`
    RawTotals all_;              ///< rows of the collected pieces
    std::optional<std::int64_t> first_ns_;
    std::optional<Error> damage_;  ///< Error of the last collected piece; the pieces after it are ignored.
    std::future<void> helper_;
};

/// Sorts the rows stably; faster if they are sorted already, as they mostly are.
template <typename Rows, typename Order>
void sort_if_needed(Rows& rows, Order order) {
    if (!std::ranges::is_sorted(rows, {}, order)) std::ranges::stable_sort(rows, {}, order);
}

class Reader {
public:
    Reader(sqlite::SqliteFile& file, Snapshot& snapshot) : file_(file), log_(snapshot.log), snapshot_(snapshot) {}

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
        if (out_.devices.size() >= limits::k_devices && !out_.devices.contains(number))
            bytes::fail("names more than 1024 devices");
        return out_.devices[number];
    }

    void read_blocks() {
        const std::string sql = select_columns(
            file_, "OP_MEMORY",
            {Wanted::expression(row_number_of(file_, "OP_MEMORY")), "name", "size", "allocationTime|allocation_time",
             "releaseTime|release_time", "activeReleaseTime|active_release_time",
             "allocationTotalAllocated|allocation_total_allocated", "streamPtr|stream_ptr", "deviceId|device_id"});
        std::int64_t row_id = 0;
        each_row(file_, "OP_MEMORY", sql, log_, [&](const sqlite::SqliteRows& row) { take_block(row, ++row_id); });
    }

    void take_block(const sqlite::SqliteRows& rows, std::int64_t row_id) {
        const auto size = whole_number(rows, 2);
        const auto alloc = moment(rows, 3);
        if (const auto stored = rows.stored_integer(3)) keep_first(first_ns_, *stored);
        if (!alloc && size && *size < 0) {
            log_.add("release_without_allocation", {},
                     {"OP_MEMORY rows that record only the release of a block from before the profile; they are only in the "
                      "table"});
            return;
        }
        if (!size || *size <= 0 || !alloc) {
            log_.add("rows_not_drawn", {}, {"OP_MEMORY rows without a usable size or allocation time"});
            return;
        }
        if (*size > limits::k_profiled_block_bytes || total_size_ > limits::k_profiled_bytes) {
            log_.add("size_impossible", {}, {"OP_MEMORY rows"});
            return;
        }
        total_size_ += *size;
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
        if (++block_count_ >= limits::k_allocations) bytes::fail("holds more than four billion blocks");
    }

    /// Updates the preview of total memory that is shown while the file is being loaded.
    void preview(std::int64_t total_bytes) {
        Progress* const progress = Context::current().progress;
        if (progress == nullptr || total_bytes < 0 || total_bytes > limits::k_profiled_bytes) return;
        progress->totals().add(total_bytes - previewed_bytes_);
        previewed_bytes_ = total_bytes;
    }

    /// Reads the end of a block. NULL, and the 0 or -1 that other writers store instead, mean that the block has no end.
    std::int64_t end_time(const sqlite::SqliteRows& rows, int column, std::int64_t alloc_ns) {
        const auto time = moment(rows, column);
        if (!time) return k_no_ns;
        if (*time > alloc_ns) return *time;
        log_.add("released_before_allocated");
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
                log_.add("component_unknown", {.count = rows.size()});
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
        log_outliers(dropped);
        for (std::vector<TotalsRow>& totals : rows.totals)
            log_outliers(std::erase_if(totals, [&](const TotalsRow& row) { return is_far_off(row.time_ns); }));
    }

    void log_outliers(std::size_t count) {
        if (count == 0) return;
        log_.add("times_far_off", {.count = count});
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
        log_.add("duplicate_rows", {.count = count},
                 {"OP_MEMORY rows that are exact copies of others; each block is drawn once"});
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

    sqlite::SqliteFile& file_;
    ImportLog& log_;
    Snapshot& snapshot_;
    MemoryRows out_;
    RawTotals raw_;
    std::optional<std::int64_t> first_ns_;
    std::int64_t previewed_bytes_ = 0;
    std::uint64_t block_count_ = 0;
    std::int64_t total_size_ = 0;
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

void Texts::read(sqlite::SqliteFile& file, Snapshot& snapshot) {
    const std::string sql = select_columns(file, "STRING_IDS", {"id", "value"});
    each_row(file, "STRING_IDS", sql, snapshot.log, [&](const sqlite::SqliteRows& row) {
        const std::int64_t id = row.integer(0);
        if (!wanted_.contains(id) || found_.contains(id) || row.type(1) == sqlite::ValueType::null) return;
        found_.emplace(id, snapshot.strings.intern(row.text(1)));
    });
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

std::string of_device(const sqlite::SqliteFile& file, std::string_view table, std::int32_t device) {
    const auto column = file.find_column(table, {"deviceId", "device_id"});
    if (!column) return "1";
    return sqlite::sql_name(*column) + " IS " + (device == k_no_device ? "NULL" : std::to_string(device));
}

std::string is_type(const sqlite::SqliteFile& file, std::string_view word) {
    const std::string ids = file.find_column("ENUM_MEMORY", {"name"})   ? "SELECT id FROM ENUM_MEMORY WHERE name"
                            : file.find_column("STRING_IDS", {"value"}) ? "SELECT id FROM STRING_IDS WHERE value"
                                                                        : "SELECT NULL WHERE ''";
    return "\"type\" IN (" + ids + " = '" + std::string(word) + "')";
}

MemoryRows read_memory_rows(sqlite::SqliteFile& file, Snapshot& snapshot) { return Reader(file, snapshot).run(); }

}  // namespace snapviewer::profilers::ascend
