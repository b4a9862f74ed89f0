// Reads the recordings of msprof without PyTorch: the blocks of the graph engine, with real addresses.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/load/limits.h"
#include "core/load/profilers/ascend/blocks.h"
#include "core/load/profilers/ascend/curves.h"
#include "core/load/profilers/ascend/read_ascend.h"
#include "core/load/profilers/probe.h"

namespace snapviewer {
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
    MsprofReader(SqliteFile& file, Snapshot& snapshot) : file_(file), snapshot_(snapshot) {}

    void run() {
        read_changes();
        for (const char* table : {"NPU_MEM", "NPU_MODULE_MEM", "NPU_INFO"}) find_devices(table);
        texts_.read(file_, snapshot_);
        DeviceBuilder builder(snapshot_, texts_);
        for (auto& [device, changes] : devices_) add_device(builder, device, std::move(changes));
    }

private:
    void read_changes() {
        if (!file_.find_table("NPU_OP_MEM")) return;
        const std::string kind = "CASE WHEN " + is_word(file_, "type", "release") + " THEN 1 WHEN " +
                                 is_word(file_, "type", "allocate") + " THEN 0 END";
        const std::string sql = select_columns(file_, "NPU_OP_MEM",
                                               {{"operatorName"},
                                                {"addr"},
                                                {"size"},
                                                {"timestampNs"},
                                                Wanted::expression(kind),
                                                {"deviceId"},
                                                {"totalAllocate"},
                                                {"totalReserve"}});
        TableRows rows(file_, "NPU_OP_MEM", sql);
        std::int64_t row = 0;
        while (rows.next()) {
            ++row;
            const auto size = whole_number(*rows, 2);
            const auto time = whole_number(*rows, 3);
            if (!size || !time || rows->type(4) == ValueType::null) continue;
            const bool is_release = rows->integer(4) == 1;
            const std::int64_t number = rows->type(5) == ValueType::null ? k_no_device : rows->integer(5);
            if (number > 0xFFFF) continue;
            texts_.want(rows->integer(0));
            devices_[static_cast<std::int32_t>(std::max<std::int64_t>(number, k_no_device))].push_back(
                {row,
                 rows->integer(0),
                 rows->integer(1),
                 *size,
                 *time,
                 is_release,
                 {*time, rows->integer(6), rows->integer(7), 0}});
        }
        rows.note_end(snapshot_.log);
    }

    /// Finds devices that have curves but no blocks.
    void find_devices(const char* table) {
        if (std::string_view(table) == "NPU_INFO" ? !devices_.empty() : !file_.find_column(table, {"deviceId"})) return;
        const char* column = std::string_view(table) == "NPU_INFO" ? "id" : "deviceId";
        if (!file_.find_column(table, {column})) return;
        TableRows rows(file_, table, fmt::format("SELECT DISTINCT {} FROM {} LIMIT {}", column, table, limits::k_devices));
        while (rows.next()) {
            if (rows->integer(0) >= 0 && rows->integer(0) <= 0xFFFF) devices_[static_cast<std::int32_t>(rows->integer(0))];
        }
    }

    void add_device(DeviceBuilder& builder, std::int32_t device, std::vector<Change> changes) {
        DeviceRows rows;
        for (const Change& change : changes) rows.of(Component::ge).push_back(change.totals);
        std::ranges::stable_sort(rows.of(Component::ge), {}, &TotalsRow::time_ns);
        BuiltDevice built = builder.build(device, pair_changes(std::move(changes)), {});
        built.trace.memory_series = memory_series(file_, device, rows, snapshot_.log);
        built.trace.tracks = read_tracks(file_, device, snapshot_.log);
        built.trace.presentation.prefers_time = true;
        find_edges(built.trace);
        snapshot_.devices.push_back(std::move(built.trace));
    }

    SqliteFile& file_;
    Snapshot& snapshot_;
    Texts texts_;
    std::map<std::int32_t, std::vector<Change>> devices_;
};

}  // namespace
}  // namespace ascend

bool is_msprof(const SqliteFile& file) {
    return has_all_tables(file, {"STRING_IDS"}) && has_any_table(file, {"NPU_OP_MEM", "NPU_MEM", "NPU_MODULE_MEM"});
}

void read_msprof(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile&) {
    snapshot.kind = FileKind::msprof;
    ascend::MsprofReader(*file, snapshot).run();
    snapshot.log.add(ImportCode::graph_engine_only,
                     "the file holds what the runtime recorded and nothing from PyTorch; the blocks are those of the graph "
                     "engine, with their real addresses");
}

}  // namespace snapviewer
