#include "core/load/profilers/ascend/read_ascend.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/give_back.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/load/profilers/ascend/blocks.h"
#include "core/load/profilers/ascend/curves.h"
#include "core/load/profilers/ascend/details.h"
#include "core/load/profilers/ascend/views.h"
#include "core/load/profilers/probe.h"

namespace snapviewer {
namespace ascend {
namespace {

constexpr std::size_t k_most_info_bytes = 256 << 10;

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
        log.add(ImportCode::workspace_growth,
                "rows of the WORKSPACE allocator that record the growth of its pool; they are shown in its curve of "
                "reserved memory, not as blocks",
                {}, growth);
    }
    return taken;
}

class AscendReader {
public:
    AscendReader(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot)
        : file_(file), snapshot_(snapshot), log_(snapshot.log) {}

    std::unique_ptr<DetailSource> run() {
        MemoryRows rows = read_memory_rows(*file_, snapshot_);
        first_ns_ = rows.first_ns;
        if (rows.devices.empty()) rows.devices[lone_device()];
        DeviceBuilder builder(snapshot_, rows.texts);
        for (auto& [device, of_device] : rows.devices) add_device(builder, device, of_device);
        std::ranges::sort(built_, {}, [](const BuiltDevice& built) { return built.trace.device; });
        std::vector<std::vector<std::int64_t>> row_ids;
        for (BuiltDevice& built : built_) {
            snapshot_.devices.push_back(std::move(built.trace));
            row_ids.push_back(std::move(built.row_ids));
        }
        read_facts();
        if (!has_blocks_) tell_why_empty();
        return make_details(file_, std::move(row_ids));
    }

    /// The earliest time in the memory tables. Call this after run().
    std::int64_t first_ns() const { return first_ns_; }

private:
    /// The device that tracks belong to if the file contains no memory.
    std::int32_t lone_device() {
        for (const char* table : {"RANK_DEVICE_MAP", "NPU_INFO"}) {
            const bool is_map = std::string_view(table) == "RANK_DEVICE_MAP";
            const std::string sql = is_map ? select_columns(*file_, table, {{"deviceId", "device_id"}})
                                           : select_columns(*file_, table, {{"id"}});
            TableRows rows(*file_, table, sql);
            if (rows.next() && rows->integer(0) >= 0 && rows->integer(0) <= 0xFFFF)
                return static_cast<std::int32_t>(rows->integer(0));
        }
        return 0;
    }

    void add_device(DeviceBuilder& builder, std::int32_t device, DeviceRows& rows) {
        std::vector<BlockRow> workspace = take_workspace(rows, log_);
        const bool has_pta =
            std::ranges::any_of(rows.blocks, [](const BlockRow& block) { return block.component == Component::pta; });
        const Baseline baseline = has_pta ? find_baseline(rows.blocks, rows.of(Component::pta)) : Baseline();
        tell_mismatch(device, baseline);
        has_blocks_ = has_blocks_ || !rows.blocks.empty();
        has_totals_ = has_totals_ || std::ranges::any_of(rows.totals, [](const auto& totals) { return !totals.empty(); });
        std::vector<Series> series = memory_series(*file_, device, rows, log_);

        BuiltDevice built = builder.build(device, std::move(rows.blocks), baseline);
        built.trace.memory_series = std::move(series);
        built.trace.tracks = read_tracks(*file_, device, log_);
        built.trace.presentation.prefers_time = true;
        find_edges(built.trace);
        const std::int64_t start_us = built.trace.start_us;
        const std::int64_t end_us = built.trace.end_us;
        built_.push_back(std::move(built));
        if (workspace.empty() && rows.of(Component::workspace).empty()) return;

        BuiltDevice of_workspace = builder.build(workspace_number(device), std::move(workspace), {});
        of_workspace.trace.part = fmt::format("WORKSPACE of device {}", device);
        of_workspace.trace.memory_series = workspace_series(rows.of(Component::workspace));
        of_workspace.trace.presentation.prefers_time = true;
        find_edges(of_workspace.trace);
        // Uses the time range of the device that the WORKSPACE belongs to.
        std::int64_t& own_start_us = of_workspace.trace.start_us;
        if (own_start_us == k_no_time || (start_us != k_no_time && start_us < own_start_us)) own_start_us = start_us;
        of_workspace.trace.end_us = std::max(end_us, of_workspace.trace.end_us);
        built_.push_back(std::move(of_workspace));
    }

    void tell_mismatch(std::int32_t device, const Baseline& baseline) {
        if (!baseline.falls.empty() || baseline.rest_bytes > 0) {
            std::int64_t bytes = baseline.rest_bytes;
            for (const Baseline::Fall& fall : baseline.falls) bytes += fall.size_bytes;
            log_.add_about(ImportCode::before_profile, std::to_string(device),
                           fmt::format("{} on device {} were allocated before the profile started; these blocks are derived "
                                       "from the recorded totals and hatched",
                                       format_bytes(static_cast<std::uint64_t>(bytes)), device),
                           {}, baseline.falls.size() + (baseline.rest_bytes > 0 ? 1 : 0));
        }
        if (baseline.largest_mismatch_bytes == 0) return;
        log_.add_about(
            ImportCode::totals_mismatch, std::to_string(device),
            fmt::format("the blocks of device {} differ from the recorded totalActive by up to {} (at {} ns)", device,
                        format_bytes(static_cast<std::uint64_t>(baseline.largest_mismatch_bytes)), baseline.mismatch_ns));
    }

    void tell_why_empty() {
        if (file_->find_table("OP_MEMORY")) {
            log_.add(ImportCode::no_blocks, "there are no blocks to draw, because the table OP_MEMORY has no usable rows");
        } else if (has_totals_) {
            log_.add(
                ImportCode::no_blocks,
                "there are curves but no blocks, because CPU activity was not profiled (there are no records per operator)");
        } else {
            log_.add(ImportCode::no_blocks,
                     "there is no memory to draw, because it was not recorded (profile_memory was off); steps and counters "
                     "are shown");
        }
    }

    /// Stores the file's facts about the run where snapshots have allocator settings.
    void read_facts() {
        TableRows ranks(*file_, "RANK_DEVICE_MAP",
                        select_columns(*file_, "RANK_DEVICE_MAP", {{"rankId", "rank_id"}, {"deviceId", "device_id"}}));
        while (ranks.next()) {
            const std::int64_t rank = ranks->integer(0);
            const std::int64_t device = ranks->integer(1);
            const std::string value = rank < 0 ? "\"?\"" : std::to_string(rank);
            snapshot_.settings.emplace_back(fmt::format("rank of device {}", device < 0 ? "?" : std::to_string(device)),
                                            value);
            for (DeviceTrace& trace : snapshot_.devices) {
                if (trace.device == device) trace.rank = rank < 0 ? "?" : std::to_string(rank);
            }
        }
        ranks.note_end(log_);
        add_pairs("NPU_INFO", {"id"}, {"name"}, "device ");
        add_pairs("HOST_INFO", {"hostUid"}, {"hostName"}, "host ");
        add_pairs("META_DATA", {"name"}, {"value"}, "");
    }

    void add_pairs(const char* table, Spellings key, Spellings value, const char* prefix) {
        TableRows rows(*file_, table, select_columns(*file_, table, {key, value}));
        while (rows.next()) {
            snapshot_.settings.emplace_back(prefix + std::string(rows->text(0)),
                                            json_quoted(shortened(rows->text(1), k_most_info_bytes)));
        }
        rows.note_end(log_);
    }

    const std::shared_ptr<SqliteFile>& file_;
    Snapshot& snapshot_;
    ImportLog& log_;
    std::vector<BuiltDevice> built_;
    bool has_blocks_ = false;
    bool has_totals_ = false;
    std::int64_t first_ns_ = 0;
};

}  // namespace
}  // namespace ascend

bool is_ascend_profiler(const SqliteFile& file) {
    return has_any_table(file, {"OP_MEMORY", "MEMORY_RECORD"}) || has_all_tables(file, {"PYTORCH_API", "STRING_IDS"});
}

void read_ascend_profiler(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::ascend_profiler;
    ascend::AscendReader reader(file, snapshot);
    loaded.details = reader.run();
    loaded.views = ascend::memory_views(*file, reader.first_ns());
}

}  // namespace snapviewer
