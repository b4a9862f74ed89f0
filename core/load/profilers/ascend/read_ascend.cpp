#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/load/bytes/sources.h"
#include "core/load/profilers/ascend/blocks.h"
#include "core/load/profilers/ascend/records.h"
#include "core/load/profilers/readers.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer::profilers {
namespace ascend {
namespace {

/// A column of the view memory_details.
struct MemoryColumn {
    const char* name;
    const char* type;
    const char* text;
    const char* sql;     ///< Format of the SQL for the value: {0} is the column of OP_MEMORY, {1} the time of origin.
    const char* source;  ///< possible names of the column of OP_MEMORY, newest first
};
constexpr const char* k_ms_since_start = "({0} - {1}) / 1000000.0";
constexpr const char* k_duration_ms = "{0} / 1000000.0";
constexpr const char* k_megabytes = "{0} / 1048576.0";

constexpr MemoryColumn k_memory_columns[] = {
    {"name", "TEXT", "the operation; NULL where it is unknown", "s.value", "name"},
    {"size_kb", "REAL", "KiB", "{0} / 1024.0", "size"},
    {"allocation_time_ms", "REAL", "since the first allocation or total", k_ms_since_start,
     "allocationTime|allocation_time"},
    {"release_time_ms", "REAL", "when the tensor was freed; NULL if never", k_ms_since_start, "releaseTime|release_time"},
    {"active_release_time_ms", "REAL", "when the block was returned to the pool", k_ms_since_start,
     "activeReleaseTime|active_release_time"},
    {"duration_ms", "REAL", "from the allocation until the release", k_duration_ms, "duration"},
    {"active_duration_ms", "REAL", "from the allocation until the return to the pool", k_duration_ms,
     "activeDuration|active_duration"},
    {"allocation_total_allocated_mb", "REAL", "MiB in use after the allocation", k_megabytes,
     "allocationTotalAllocated|allocation_total_allocated"},
    {"allocation_total_reserved_mb", "REAL", "MiB in the pool after the allocation", k_megabytes,
     "allocationTotalReserved|allocation_total_reserved"},
    {"allocation_total_active_mb", "REAL", "MiB in use or waiting for a stream after the allocation", k_megabytes,
     "allocationTotalActive|allocation_total_active"},
    {"release_total_allocated_mb", "REAL", "MiB in use after the release (for GE: before it)", k_megabytes,
     "releaseTotalAllocated|release_total_allocated"},
    {"release_total_reserved_mb", "REAL", "MiB in the pool after the release", k_megabytes,
     "releaseTotalReserved|release_total_reserved"},
    {"release_total_active_mb", "REAL", "MiB in use or waiting for a stream after the release", k_megabytes,
     "releaseTotalActive|release_total_active"},
    {"stream", "INTEGER", "stream id or address", "{0}", "streamPtr|stream_ptr"},
    {"device", "INTEGER", "device number", "{0}", "deviceId|device_id"},
};

/// The table of names for a JOIN. If its id is not a key, an id may have several names; selects the first one.
std::string names_source(sqlite::SqliteFile& file) {
    if (file.columns("STRING_IDS").size() < 2) return "(SELECT NULL AS id, NULL AS value)";
    if (first_row(file, "SELECT 1 FROM pragma_table_info('STRING_IDS') WHERE name = 'id' AND pk = 1"))
        return "file.STRING_IDS";
    return "(SELECT id, value, min(rowid) FROM file.STRING_IDS GROUP BY id)";
}

/// The SQL view memory_details: OP_MEMORY as MindStudio Insight shows it, with names and in KB, ms and MB, and with times
/// since `first_ns`. Empty if the file has no table OP_MEMORY.
std::vector<sqlite::SqlView> memory_views(sqlite::SqliteFile& file, std::int64_t first_ns) {
    if (!file.find_table("OP_MEMORY")) return {};
    const auto source = [&](const char* names) {
        const std::string column = Wanted(names).sql(file, "OP_MEMORY");
        return column == "NULL" ? column : "o." + column;
    };
    std::vector<ViewColumn> columns;
    for (const MemoryColumn& column : k_memory_columns) {
        const std::string from = source(column.source);
        const std::string sql = from == "NULL" ? from : fmt::format(fmt::runtime(column.sql), from, first_ns);
        columns.push_back({column.name, column.type, column.text, sql});
    }
    return {make_view("memory_details",
                      "OP_MEMORY with names and in readable units, as MindStudio Insight lists it: one row for each block "
                      "allocated during the profile.",
                      columns,
                      fmt::format("file.OP_MEMORY o LEFT JOIN {} s ON s.id = {}", names_source(file), source("name")))};
}

constexpr std::size_t k_max_info_bytes = 256 << 10;

/// The device number under which the WORKSPACE of a device is shown. It differs from the numbers of all devices and other
/// parts.
constexpr std::int32_t workspace_number(std::int32_t device) { return -3 - device; }

/// Removes the blocks of the WORKSPACE allocator from `rows` and returns them. Its rows without a release record the growth
/// of its pool and are not blocks; they are dropped.
std::vector<BlockRow> take_workspace(DeviceRows& rows, ImportLog& log) {
    std::vector<BlockRow> taken;
    std::ranges::copy_if(rows.blocks, std::back_inserter(taken),
                         [](const BlockRow& block) { return block.component == Component::workspace; });
    std::erase_if(rows.blocks, [](const BlockRow& block) { return block.component == Component::workspace; });
    const auto growth = std::erase_if(taken, [](const BlockRow& block) { return block.end_ns() == k_no_ns; });
    if (growth > 0) {
        log.add("workspace_growth", {.count = growth});
    }
    return taken;
}

class AscendReader {
public:
    AscendReader(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot)
        : file_(file), snapshot_(snapshot), log_(snapshot.log) {}

    std::unique_ptr<DetailSource> run() {
        MemoryRows rows = read_memory_rows(*file_, snapshot_);
        first_ns_ = rows.first_ns;
        if (rows.devices.empty()) rows.devices[device_of_tracks()];
        DeviceBuilder builder(snapshot_, rows.texts);
        for (auto& [device, of_device] : rows.devices) add_device(builder, device, of_device);
        std::ranges::sort(built_, {}, [](const BuiltDevice& built) { return built.trace.device; });
        std::vector<std::vector<std::int64_t>> row_ids;
        for (BuiltDevice& built : built_) {
            snapshot_.devices.push_back(std::move(built.trace));
            row_ids.push_back(std::move(built.row_ids));
        }
        read_facts();
        if (!has_blocks_) log_why_empty();
        return make_details(file_, std::move(row_ids));
    }

    /// The earliest time in the memory tables. Call this after run().
    std::int64_t first_ns() const { return first_ns_; }

private:
    /// The device that tracks belong to if the file contains no memory.
    std::int32_t device_of_tracks() {
        for (const std::string& sql : {select_columns(*file_, "RANK_DEVICE_MAP", {"deviceId|device_id"}),
                                       select_columns(*file_, "NPU_INFO", {"id"})}) {
            const auto row = first_row(*file_, sql);
            if (row && row->integer(0) >= 0 && row->integer(0) <= 0xFFFF) return static_cast<std::int32_t>(row->integer(0));
        }
        return 0;
    }

    void add_device(DeviceBuilder& builder, std::int32_t device, DeviceRows& rows) {
        std::vector<BlockRow> workspace = take_workspace(rows, log_);
        const bool has_pta =
            std::ranges::any_of(rows.blocks, [](const BlockRow& block) { return block.component == Component::pta; });
        const Baseline baseline = has_pta ? find_baseline(rows.blocks, rows.of(Component::pta)) : Baseline();
        log_mismatch(device, baseline);
        has_blocks_ = has_blocks_ || !rows.blocks.empty();
        has_totals_ = has_totals_ || std::ranges::any_of(rows.totals, [](const auto& totals) { return !totals.empty(); });
        std::vector<Series> series = memory_series(*file_, device, rows, log_);
        BuiltDevice built = builder.build(device, std::move(rows.blocks), baseline);
        add_curves(built.trace, std::move(series), read_tracks(*file_, device, log_));
        const std::int64_t start_us = built.trace.start_us;
        const std::int64_t end_us = built.trace.end_us;
        built_.push_back(std::move(built));
        if (workspace.empty() && rows.of(Component::workspace).empty()) return;

        BuiltDevice of_workspace = builder.build(workspace_number(device), std::move(workspace), {});
        of_workspace.trace.part = fmt::format("WORKSPACE of device {}", device);
        add_curves(of_workspace.trace, workspace_series(rows.of(Component::workspace)), {});
        // Uses the time range of the device that the WORKSPACE belongs to.
        std::int64_t& own_start_us = of_workspace.trace.start_us;
        if (own_start_us == k_no_time || (start_us != k_no_time && start_us < own_start_us)) own_start_us = start_us;
        of_workspace.trace.end_us = std::max(end_us, of_workspace.trace.end_us);
        built_.push_back(std::move(of_workspace));
    }

    void log_mismatch(std::int32_t device, const Baseline& baseline) {
        if (!baseline.falls.empty() || baseline.rest_bytes > 0) {
            std::int64_t bytes = baseline.rest_bytes;
            for (const Baseline::Fall& fall : baseline.falls) bytes += fall.size_bytes;
            log_.add("before_profile",
                     {.subject = std::to_string(device), .count = baseline.falls.size() + (baseline.rest_bytes > 0 ? 1 : 0)},
                     {fmt::format("{} on device {} were allocated before the profile started; these blocks are derived "
                                  "from the recorded totals and hatched",
                                  format_bytes(static_cast<std::uint64_t>(bytes)), device)});
        }
        if (baseline.largest_mismatch_bytes == 0) return;
        log_.add("totals_mismatch", {.subject = std::to_string(device)},
                 {device, format_bytes(static_cast<std::uint64_t>(baseline.largest_mismatch_bytes)), baseline.mismatch_ns});
    }

    void log_why_empty() {
        if (file_->find_table("OP_MEMORY")) {
            log_.add("no_blocks", {}, {"there are no blocks to draw, because the table OP_MEMORY has no usable rows"});
        } else if (has_totals_) {
            log_.add("no_blocks", {},
                     {"there are curves but no blocks, because CPU activity was not profiled (there are no records per "
                      "operator)"});
        } else {
            log_.add("no_blocks", {},
                     {"there is no memory to draw, because it was not recorded (profile_memory was off); steps and counters "
                      "are shown"});
        }
    }

    /// Stores the file's facts about the run where snapshots have allocator settings.
    void read_facts() {
        const std::string ranks = select_columns(*file_, "RANK_DEVICE_MAP", {"rankId|rank_id", "deviceId|device_id"});
        each_row(*file_, "RANK_DEVICE_MAP", ranks, log_, [&](const sqlite::SqliteRows& row) {
            const std::int64_t device = row.integer(1);
            const std::string rank = row.integer(0) < 0 ? "?" : std::to_string(row.integer(0));
            snapshot_.settings.emplace_back(fmt::format("rank of device {}", device < 0 ? "?" : std::to_string(device)),
                                            rank == "?" ? "\"?\"" : rank);
            for (DeviceTrace& trace : snapshot_.devices) {
                if (trace.device == device) trace.rank = rank;
            }
        });
        add_pairs("NPU_INFO", "id", "name", "device ");
        add_pairs("HOST_INFO", "hostUid", "hostName", "host ");
        add_pairs("META_DATA", "name", "value", "");
    }

    void add_pairs(const char* table, const char* key, const char* value, const char* prefix) {
        each_row(*file_, table, select_columns(*file_, table, {key, value}), log_, [&](const sqlite::SqliteRows& row) {
            snapshot_.settings.emplace_back(prefix + std::string(row.text(0)),
                                            json_quoted(shortened(row.text(1), k_max_info_bytes)));
        });
    }

    const std::shared_ptr<sqlite::SqliteFile>& file_;
    Snapshot& snapshot_;
    ImportLog& log_;
    std::vector<BuiltDevice> built_;
    bool has_blocks_ = false;
    bool has_totals_ = false;
    std::int64_t first_ns_ = 0;
};

}  // namespace
}  // namespace ascend

bool is_ascend_profiler(const sqlite::SqliteFile& file) {
    return has_any_table(file, {"OP_MEMORY", "MEMORY_RECORD"}) || has_all_tables(file, {"PYTORCH_API", "STRING_IDS"});
}

void read_ascend_profiler(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::ascend_profiler;
    ascend::AscendReader reader(file, snapshot);
    loaded.details = reader.run();
    loaded.views = ascend::memory_views(*file, reader.first_ns());
}

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

void read_ascend_ranks(const std::shared_ptr<sqlite::SqliteFile>& first, const std::shared_ptr<sqlite::SqliteFile>& second,
                       Snapshot& snapshot, LoadedFile& loaded) {
    read_ascend_profiler(first, snapshot, loaded);
    const std::size_t first_device_count = snapshot.devices.size();
    LoadedFile of_second;
    read_ascend_profiler(second, snapshot, of_second);
    const std::span<const DeviceTrace> all = snapshot.devices;
    const auto of_first = all.first(first_device_count);
    for (const DeviceTrace& trace : all.subspan(first_device_count)) {
        if (std::ranges::find(of_first, trace.device, &DeviceTrace::device) == of_first.end()) continue;
        bytes::fail(
            fmt::format("covers device {}, as the other database does, so they come from different hosts or from the same "
                        "rank; only ranks of one host can be opened together",
                        trace.device));
    }
    loaded.details =
        std::make_shared<RankDetails>(std::move(loaded.details), first_device_count, std::move(of_second.details));
}

// Reads the recordings of msprof without PyTorch: the blocks of the graph engine, with real addresses.

namespace ascend {
namespace {

/// A row of NPU_OP_MEM.
struct Change {
    std::int64_t row = 0;
    std::int64_t name = 0;
    std::int64_t address = 0;
    std::int64_t size_bytes = 0;
    std::int64_t time_ns = 0;
    bool is_release = false;
    TotalsRow totals;
};

/// Pairs each release with the allocation before it by the same operator at the same address. Drops blocks that are released
/// at the time of their allocation.
std::vector<BlockRow> pair_changes(std::vector<Change> changes) {
    std::ranges::stable_sort(changes, {},
                             [](const Change& c) { return std::tuple(c.name, c.address, c.time_ns, c.is_release); });
    std::vector<BlockRow> blocks;
    std::int64_t next_release_ns = k_no_ns;
    for (std::size_t i = changes.size(); i-- > 0;) {
        const Change& change = changes[i];
        const bool is_last_of_key = i + 1 == changes.size() || std::tie(changes[i + 1].name, changes[i + 1].address) !=
                                                                   std::tie(change.name, change.address);
        if (is_last_of_key) next_release_ns = k_no_ns;
        if (change.is_release) {
            next_release_ns = change.time_ns;
        } else if (change.size_bytes > 0 && next_release_ns != change.time_ns &&
                   change.size_bytes <= limits::k_profiled_block_bytes) {
            BlockRow block;
            block.row_id = change.row;
            block.name = change.name;
            block.size_bytes = change.size_bytes;
            block.alloc_ns = change.time_ns;
            block.release_ns = next_release_ns;
            block.address = static_cast<std::uint64_t>(change.address);
            block.component = Component::ge;
            blocks.push_back(block);
        }
    }
    std::ranges::sort(blocks, {}, [](const BlockRow& block) { return std::tuple(block.alloc_ns, block.row_id); });
    return blocks;
}

class MsprofReader {
public:
    MsprofReader(sqlite::SqliteFile& file, Snapshot& snapshot) : file_(file), snapshot_(snapshot) {}

    void run() {
        read_changes();
        find_devices("NPU_MEM", "deviceId");
        find_devices("NPU_MODULE_MEM", "deviceId");
        if (devices_.empty()) find_devices("NPU_INFO", "id");
        texts_.read(file_, snapshot_);
        DeviceBuilder builder(snapshot_, texts_);
        for (auto& [device, changes] : devices_) add_device(builder, device, std::move(changes));
    }

private:
    void read_changes() {
        if (!file_.find_table("NPU_OP_MEM")) return;
        const std::string kind =
            "CASE WHEN " + is_type(file_, "release") + " THEN 1 WHEN " + is_type(file_, "allocate") + " THEN 0 END";
        const std::string sql = select_columns(file_, "NPU_OP_MEM",
                                               {"operatorName", "addr", "size", "timestampNs", Wanted::expression(kind),
                                                "deviceId", "totalAllocate", "totalReserve"});
        std::int64_t row = 0;
        each_row(file_, "NPU_OP_MEM", sql, snapshot_.log, [&](const sqlite::SqliteRows& rows) {
            ++row;
            const auto size = whole_number(rows, 2);
            const auto time = whole_number(rows, 3);
            if (!size || !time || rows.type(4) == sqlite::ValueType::null) return;
            const std::int64_t number = rows.type(5) == sqlite::ValueType::null ? k_no_device : rows.integer(5);
            if (number > 0xFFFF) return;
            texts_.want(rows.integer(0));
            devices_[static_cast<std::int32_t>(std::max<std::int64_t>(number, k_no_device))].push_back(
                {row,
                 rows.integer(0),
                 rows.integer(1),
                 *size,
                 *time,
                 rows.integer(4) == 1,
                 {*time, rows.integer(6), rows.integer(7), 0}});
        });
    }

    /// Finds devices that have curves but no blocks.
    void find_devices(const char* table, const char* column) {
        if (!file_.find_column(table, {column})) return;
        const std::string sql = fmt::format("SELECT DISTINCT {} FROM {} LIMIT {}", column, table, limits::k_devices);
        read_rows(file_, sql, [this](const sqlite::SqliteRows& row) {
            if (row.integer(0) >= 0 && row.integer(0) <= 0xFFFF) devices_[static_cast<std::int32_t>(row.integer(0))];
        });
    }

    void add_device(DeviceBuilder& builder, std::int32_t device, std::vector<Change> changes) {
        DeviceRows rows;
        for (const Change& change : changes) rows.of(Component::ge).push_back(change.totals);
        std::ranges::stable_sort(rows.of(Component::ge), {}, &TotalsRow::time_ns);
        BuiltDevice built = builder.build(device, pair_changes(std::move(changes)), {});
        std::vector<Series> series = memory_series(file_, device, rows, snapshot_.log);
        add_curves(built.trace, std::move(series), read_tracks(file_, device, snapshot_.log));
        snapshot_.devices.push_back(std::move(built.trace));
    }

    sqlite::SqliteFile& file_;
    Snapshot& snapshot_;
    Texts texts_;
    std::map<std::int32_t, std::vector<Change>> devices_;
};

}  // namespace
}  // namespace ascend

bool is_msprof(const sqlite::SqliteFile& file) {
    return has_all_tables(file, {"STRING_IDS"}) && has_any_table(file, {"NPU_OP_MEM", "NPU_MEM", "NPU_MODULE_MEM"});
}

void read_msprof(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile&) {
    snapshot.kind = FileKind::msprof;
    ascend::MsprofReader(*file, snapshot).run();
    snapshot.log.add("graph_engine_only");
}

}  // namespace snapviewer::profilers
