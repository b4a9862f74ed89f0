#include "core/load/profilers/memscope/read_memscope.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/units.h"
#include "core/load/profilers/memscope/blocks.h"
#include "core/load/profilers/memscope/details.h"
#include "core/load/profilers/memscope/tracks.h"
#include "core/load/profilers/probe.h"

namespace snapviewer {
namespace memscope {
namespace {

/// The first number of parts that are not their device's main memory.
constexpr std::int32_t k_first_part_number = -3;

std::string part_name(const Part& part, const std::string& type, bool is_main) {
    if (part.device == k_host) return type + " of the host";
    if (part.device == k_no_device) return type + ", device not known";
    return is_main ? type : fmt::format("{} of device {}", type, part.device);
}

class MemscopeReader {
public:
    MemscopeReader(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot) : file_(file), snapshot_(snapshot) {}

    void run(LoadedFile& loaded) {
        const std::optional<DumpColumns> columns = find_dump(*file_);
        if (!columns) {
            snapshot_.log.add(ImportCode::no_blocks,
                              "there is no memory to draw, because the msMemScope table lacks its column of events or its "
                              "column of times");
            return;
        }
        Dump dump = read_dump(*file_, *columns, snapshot_);
        find_end(dump);
        const Blocks blocks = pair_changes(dump, snapshot_.log);
        std::vector<BuiltPart> built = build_parts(dump, blocks, snapshot_);
        name_parts(dump, blocks, built);
        if (built.empty()) built.push_back(without_blocks());
        const std::vector<Stretch> stretches = pair_occurrences(dump, snapshot_);
        for (std::size_t i = 0; i < built.size(); ++i) {
            DeviceTrace& trace = built[i].trace;
            const std::int32_t device = blocks.parts.empty() ? k_no_device : blocks.parts[i].device;
            trace.tracks = activity_tracks(stretches, snapshot_, device, has_all_tracks(blocks.parts, i));
            trace.presentation.prefers_time = true;
            trace.start_us = us_of(dump.start_ns);
            trace.end_us = us_of(dump.end_ns);
            tell_rest(trace);
        }
        std::ranges::stable_sort(built, {}, [](const BuiltPart& part) { return part.trace.device; });
        std::vector<AllocationRows> rows;
        for (BuiltPart& part : built) {
            snapshot_.devices.push_back(std::move(part.trace));
            rows.push_back({std::move(part.alloc_rows), std::move(part.free_rows)});
        }
        loaded.details = make_details(file_, *columns, dump.ns_per_unit, std::move(rows));
        loaded.views = event_views(*columns, dump.ns_per_unit);
    }

private:
    /// What runs to the end runs to that of everything recorded; Python's calls may end after the last event.
    void find_end(Dump& dump) {
        if (dump.end_ns == k_no_ns) return;
        for (const std::string& table : file_->tables()) {
            if (!table.starts_with("python_trace_")) continue;
            const auto column = file_->find_column(table, {"EndTime(ns)", "endTime"});
            if (!column) continue;
            TableRows rows(*file_, table,
                           fmt::format("SELECT max(CAST({0} AS INTEGER)) FROM {1}", sql_name(*column), sql_name(table)));
            if (!rows.next() || rows->type(0) != ValueType::integer) continue;
            const std::int64_t end = rows->integer(0);
            const std::int64_t latest = (dump.end_ns + k_day_ns) / dump.ns_per_unit;
            if (end > dump.end_ns / dump.ns_per_unit && end < latest) dump.end_ns = end * dump.ns_per_unit;
        }
    }

    /// The most important kind of a device has its number, so that the device can be asked for by it.
    void name_parts(const Dump& dump, const Blocks& blocks, std::vector<BuiltPart>& built) {
        std::int32_t next_number = k_first_part_number;
        is_main_.assign(built.size(), false);
        for (std::size_t i = 0; i < built.size(); ++i) {
            const Part& part = blocks.parts[i];
            const auto is_before = [&](const Part& other) {
                const auto order = [&](const Part& p) { return std::pair(rank_of_type(dump.types[p.type]), p.type); };
                return other.device == part.device && order(other) < order(part);
            };
            is_main_[i] = std::ranges::none_of(blocks.parts, is_before);
            built[i].trace.is_host = part.device == k_host;
            built[i].trace.part = part_name(part, dump.types[part.type], is_main_[i]);
            built[i].trace.device = is_main_[i] && part.device >= 0 ? part.device : next_number--;
        }
    }

    /// What runs on a device is shown with its main memory; where no device is known, with the first picture.
    bool has_all_tracks(const std::vector<Part>& parts, std::size_t index) const {
        if (std::ranges::none_of(parts, [](const Part& part) { return part.device >= 0; })) return index == 0;
        return is_main_[index] && parts[index].device >= 0;
    }

    BuiltPart without_blocks() {
        snapshot_.log.add(ImportCode::no_blocks,
                          "there are no blocks to draw, because no row says when, where and how much was allocated");
        BuiltPart none;
        none.trace.allocations_are_given = true;
        return none;
    }

    void tell_rest(const DeviceTrace& trace) {
        if (trace.allocations.size() == 0 || trace.allocations.origin.front() != Origin::derived) return;
        snapshot_.log.add_about(ImportCode::before_profile, trace.part,
                                fmt::format("{} ({}) were allocated before the recording started and kept throughout: the "
                                            "allocator reports that much more in use than the known blocks add up to",
                                            format_bytes(trace.allocations.size_bytes.front()), trace.part));
    }

    const std::shared_ptr<SqliteFile>& file_;
    Snapshot& snapshot_;
    std::vector<bool> is_main_;  ///< by part
};

}  // namespace
}  // namespace memscope

void read_msmemscope(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::msmemscope;
    memscope::MemscopeReader(file, snapshot).run(loaded);
}

}  // namespace snapviewer
