#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/load/profilers/memscope/dump.h"
#include "core/load/profilers/readers.h"

namespace snapviewer::profilers {
namespace memscope {
namespace {

/// An activity with a duration, or a moment, whose start and end are equal. A start or end that is missing in the file is
/// k_no_ns.
struct ActivitySpan {
    std::int64_t start_ns = k_no_ns;
    std::int64_t end_ns = k_no_ns;
    std::int32_t device = k_no_device;
    std::int64_t process = 0;  ///< Process id; 0 if the activity belongs to all processes.
    Activity activity = Activity::mstx;
    StringId name;
};

/// Pairs starts and ends. An end of an MSTX range may contain an id, which counts the ranges that its process started; else
/// it ends the innermost open range of its thread. Operations are paired by name within a thread, innermost first; kernels
/// by name, stream and task.
class OccurrencePairing {
public:
    OccurrencePairing(const Dump& dump, const Snapshot& snapshot) : dump_(dump), snapshot_(snapshot) {}

    std::vector<ActivitySpan> run() {
        for (const Occurrence& occurrence : dump_.occurrences) {
            switch (occurrence.phase) {
                case Phase::moment: add(occurrence, occurrence.time_ns, occurrence.time_ns); break;
                case Phase::start: start(occurrence); break;
                case Phase::end: end(occurrence); break;
            }
        }
        return std::move(out_);
    }

private:
    /// The values in which a start and its end agree.
    using Key = std::tuple<Activity, std::int64_t, std::int64_t, StringId, StringId>;
    static Key key_of(const Occurrence& o) {
        switch (o.activity) {
            case Activity::mstx: return {o.activity, o.process, o.thread, {}, {}};
            case Activity::kernel: return {o.activity, o.device, o.thread, o.name, o.task};
            default: return {o.activity, o.process, o.thread, o.name, {}};
        }
    }

    void add(const Occurrence& occurrence, std::int64_t start_ns, std::int64_t end_ns) {
        out_.push_back({start_ns, end_ns, occurrence.device, occurrence.process, occurrence.activity, occurrence.name});
    }

    void start(const Occurrence& occurrence) {
        open_[key_of(occurrence)].push_back(out_.size());
        if (occurrence.activity == Activity::mstx) ranges_[occurrence.process].push_back(out_.size());
        add(occurrence, occurrence.time_ns, k_no_ns);
    }

    void end(const Occurrence& occurrence) {
        if (occurrence.activity == Activity::mstx) {
            if (const auto range = named_range(occurrence)) {
                out_[*range].end_ns = occurrence.time_ns;
                return;
            }
        }
        const auto open = open_.find(key_of(occurrence));
        if (open != open_.end()) {
            std::vector<std::size_t>& stack = open->second;
            // Removes ranges that were ended by their id, and so without regard to the order of the stack.
            while (!stack.empty() && out_[stack.back()].end_ns != k_no_ns) stack.pop_back();
            if (!stack.empty()) {
                out_[stack.back()].end_ns = occurrence.time_ns;
                stack.pop_back();
                if (stack.empty()) open_.erase(open);
                return;
            }
        }
        add(occurrence, k_no_ns, occurrence.time_ns);
    }

    /// The range that a text such as "Range end from id 3" refers to: the third range that the process started. nullopt if
    /// there is none or it has ended.
    std::optional<std::size_t> named_range(const Occurrence& occurrence) const {
        constexpr std::string_view k_before_id = "Range end from id ";
        const std::string_view name = snapshot_.strings.view(occurrence.name);
        if (!name.starts_with(k_before_id)) return std::nullopt;
        const auto id = number_of(name.substr(k_before_id.size()));
        const auto ranges = ranges_.find(occurrence.process);
        if (!id || *id < 1 || ranges == ranges_.end() || static_cast<std::size_t>(*id) > ranges->second.size())
            return std::nullopt;
        const std::size_t range = ranges->second[static_cast<std::size_t>(*id) - 1];
        return out_[range].end_ns == k_no_ns ? std::optional(range) : std::nullopt;
    }

    const Dump& dump_;
    const Snapshot& snapshot_;
    std::vector<ActivitySpan> out_;
    std::map<Key, std::vector<std::size_t>> open_;
    /// Indices of the MSTX ranges of each process, in the order of their starts.
    std::unordered_map<std::int64_t, std::vector<std::size_t>, KeyedHash> ranges_;
};

struct KnownTrack {
    Activity activity;
    const char* name;
    const char* unnamed;  ///< Name shown for a range that has no name.
};
constexpr std::array k_tracks = {
    KnownTrack{Activity::mstx, "MSTX", "mark"}, KnownTrack{Activity::operation, "Operators", "operator"},
    KnownTrack{Activity::kernel, "Kernels", "kernel"}, KnownTrack{Activity::launch, "Kernel launches", "launch"}};

/// The tracks below the picture of a part: MSTX ranges and marks and, if `all`, operations, kernels and kernel launches. A
/// span without a device or process is shown for every device or process. A part without a device shows the spans of
/// all devices. Omits empty tracks.
std::vector<Track> activity_tracks(const std::vector<ActivitySpan>& spans, const Snapshot& snapshot, const Part& part,
                                   bool all) {
    std::vector<Track> tracks;
    for (const KnownTrack& known : k_tracks) {
        if (known.activity != Activity::mstx && !all) continue;
        Track track{known.name, {}, {}, {}};
        for (const ActivitySpan& span : spans) {
            const bool is_of_device = span.device == part.device || span.device == k_no_device || part.device < 0;
            const bool is_of_process = span.process == part.process || span.process == 0 || part.process == 0;
            if (span.activity != known.activity || !is_of_device || !is_of_process) continue;
            const std::string_view name = snapshot.strings.view(span.name);
            const bool is_unnamed = name.empty() || name == "N/A";
            track.ranges.push_back(
                {std::string(is_unnamed ? known.unnamed : name), us_of(span.start_ns), us_of(span.end_ns)});
        }
        std::ranges::stable_sort(track.ranges, {}, &Range::start_us);
        if (!track.ranges.empty()) tracks.push_back(std::move(track));
    }
    return tracks;
}

/// A row of the table.
struct Row {
    std::array<std::string, k_columns> text;
    std::int64_t time = 0;  ///< time in the unit of the table, see Dump::ns_per_unit
};

/// The details of a block: attributes, process, accesses, C stack and the stack that freed it. Queries the file on demand.
class MemscopeDetails final : public DetailSource {
public:
    /// `rows` is parallel to the devices of the snapshot.
    MemscopeDetails(std::shared_ptr<sqlite::SqliteFile> file, DumpColumns columns, std::int64_t ns_per_unit,
                    std::vector<AllocationRows> rows)
        : file_(std::move(file)), columns_(std::move(columns)), ns_per_unit_(ns_per_unit), rows_(std::move(rows)) {}

    Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) override {
        const std::lock_guard lock(mutex_);
        const std::int64_t alloc_row = rows_.at(device_index).allocs.at(id.value);
        const std::int64_t free_row = rows_.at(device_index).frees.at(id.value);
        if (alloc_row == k_below_all) return below_all();
        const std::optional<Row> alloc = alloc_row == 0 ? std::nullopt : read(alloc_row);
        const std::optional<Row> freed = free_row == 0 ? std::nullopt : read(free_row);
        std::vector<DetailSection> sections;
        if (!alloc && !freed) return sections;
        const Row& known = alloc ? *alloc : *freed;
        DetailSection facts{"msMemScope", {{"kind", one_line(known.text[k_type])}}};
        if (alloc) {
            facts.rows.emplace_back("row of " + columns_.table, std::to_string(alloc_row));
            facts.rows.emplace_back("allocated", moment_text(alloc->time * ns_per_unit_));
        }
        if (freed) add_end(facts, alloc, *freed, free_row);
        add_attributes(facts, known);
        sections.push_back(std::move(facts));
        add_accesses(sections, known, alloc, freed);
        if (alloc && !alloc->text[k_python_stack].empty())
            add_stack(sections, "C stack, innermost first", alloc->text[k_c_stack]);
        if (alloc && freed)
            add_stack(sections, "Freed by, innermost first",
                      freed->text[k_python_stack].empty() ? freed->text[k_c_stack] : freed->text[k_python_stack]);
        return sections;
    }

private:
    static std::vector<DetailSection> below_all() {
        return {{"Before the recording",
                 {{"",
                   "Memory that was allocated before the recording started and not freed during it. The file does not list "
                   "it; it is the memory that the allocator reports in use minus the known blocks."}}}};
    }

    std::optional<Row> read(std::int64_t row) {
        const std::string sql = fmt::format("SELECT {} FROM {} WHERE rowid = ?1", fmt::join(columns_.sql, ", "),
                                            sqlite::sql_name(columns_.table));
        const auto found = first_row(*file_, sql, row);
        if (!found) return std::nullopt;
        Row out{{}, whole_number(*found, k_time).value_or(0)};
        for (int i = 0; i < k_columns; ++i) out.text[static_cast<std::size_t>(i)] = found->text(i);
        return out;
    }

    void add_end(DetailSection& facts, const std::optional<Row>& alloc, const Row& freed, std::int64_t row) const {
        std::string text = moment_text(freed.time * ns_per_unit_);
        if (alloc) text += ", after " + duration_text((freed.time - alloc->time) * ns_per_unit_);
        facts.rows.emplace_back("freed", fmt::format("{} (row {})", text, row));
    }

    static void add_attributes(DetailSection& facts, const Row& row) {
        if (!row.text[k_process].empty()) facts.rows.emplace_back("process", one_line(row.text[k_process]));
        if (!row.text[k_thread].empty()) facts.rows.emplace_back("thread", one_line(row.text[k_thread]));
        Attributes attributes(row.text[k_attributes]);
        while (attributes.next()) {
            const std::string_view key = attributes.key();
            if (key == "addr" || key == "size" || attributes.value().empty()) continue;
            const auto bytes = key == "total" || key == "used" ? number_of(attributes.value()) : std::nullopt;
            facts.rows.emplace_back(key == "total"  ? "reserved after it"
                                    : key == "used" ? "allocated after it"
                                                    : one_line(key),
                                    bytes && *bytes >= 0 ? format_bytes_exactly(static_cast<std::uint64_t>(*bytes))
                                                         : one_line(attributes.value()));
        }
    }

    /// Counts the reads and writes of the block's first address during its life.
    void add_accesses(std::vector<DetailSection>& sections, const Row& known, const std::optional<Row>& alloc,
                      const std::optional<Row>& freed) {
        const auto& column = columns_.sql;
        if (known.text[k_address].empty() || column[k_address] == "NULL") return;
        auto rows =
            file_->query(fmt::format("SELECT count(*), min({0}), max({0}) FROM {1} WHERE {2} = 'ACCESS' AND {3} = ?1 "
                                     "AND {0} >= ?2 AND {0} <= ?3",
                                     column[k_time], sqlite::sql_name(columns_.table), column[k_event], column[k_address]));
        if (!rows) return;
        rows->bind(1, std::string_view(known.text[k_address]));
        rows->bind(2, alloc ? alloc->time : 0);
        rows->bind(3, freed ? freed->time : std::numeric_limits<std::int64_t>::max() / ns_per_unit_);
        if (!rows->next() || rows->integer(0) == 0) return;
        sections.push_back({"Accesses",
                            {{"number", format_count(static_cast<std::uint64_t>(rows->integer(0)))},
                             {"first", moment_text(rows->integer(1) * ns_per_unit_)},
                             {"last", moment_text(rows->integer(2) * ns_per_unit_)}}});
    }

    static void add_stack(std::vector<DetailSection>& sections, const char* title, std::string_view text) {
        DetailSection stack{title, {}};
        for (const std::string_view line : stack_lines(text)) stack.rows.emplace_back("", one_line(line));
        if (!stack.rows.empty()) sections.push_back(std::move(stack));
    }

    std::shared_ptr<sqlite::SqliteFile> file_;
    DumpColumns columns_;
    std::int64_t ns_per_unit_;
    std::vector<AllocationRows> rows_;
    std::mutex mutex_;
};

/// The SQL view memory_events: the file's table with the same column names for every version of msMemScope, and with the
/// attributes as columns.
sqlite::SqlView event_view(const DumpColumns& columns, std::int64_t ns_per_unit) {
    const auto& sql = columns.sql;
    const auto attribute = [&](const char* key) {
        return fmt::format("CASE WHEN json_valid({0}) THEN json_extract({0}, '$.{1}') END", sql[k_attributes], key);
    };
    const auto number = [&](const char* key) { return "CAST(" + attribute(key) + " AS INTEGER)"; };
    const std::string time = ns_per_unit == 1 ? sql[k_time] : fmt::format("{} * {}", sql[k_time], ns_per_unit);
    return make_view(
        "memory_events",
        columns.table + ", with the same column names for every version and the attributes as columns: one row per event.",
        {{"row", "INTEGER", "number of the row in the file's table; NULL if it has none", sql[k_row]},
         {"event", "TEXT", "MALLOC, FREE, ACCESS, OP_LAUNCH, KERNEL_LAUNCH, MSTX, SYSTEM, ...", sql[k_event]},
         {"event_type", "TEXT", "for MALLOC and FREE: whose memory (HAL, PTA, ATB, ...)", sql[k_type]},
         {"name", "TEXT", "name of the operator, kernel or mark; 'N/A' if there is none", sql[k_name]},
         {"time_ns", "INTEGER", "nanoseconds since the Unix epoch, whatever unit the file uses", time},
         {"process", "INTEGER", "process id", sql[k_process]},
         {"thread", "INTEGER", "thread id", sql[k_thread]},
         {"device", "TEXT", "device number, 'cpu' or 'host', or 'N/A'", sql[k_device]},
         {"address", "TEXT", "as written in the file: hexadecimal or decimal", sql[k_address]},
         {"size", "INTEGER", "bytes; older versions write frees in a pool as negative numbers", number("size")},
         {"owner", "TEXT", "owner of the memory, outermost first: 'PTA@model@weight'", attribute("owner")},
         {"total", "INTEGER", "bytes in the pool after the event", number("total")},
         {"used", "INTEGER", "bytes in use in the pool after the event", number("used")},
         {"allocation_id", "INTEGER", "the same for all events of one block; NULL if the version does not write it",
          number("allocation_id")},
         {"python_stack", "TEXT", "innermost first, one line per frame", sql[k_python_stack]},
         {"c_stack", "TEXT", "innermost first, one line per frame", sql[k_c_stack]}},
        "file." + sqlite::sql_name(columns.table));
}

/// Number of the first part that is not its device's main memory; further parts count down from it.
constexpr std::int32_t k_first_part_number = -3;

/// Sort key of a kind of memory, most important first: frameworks, then the driver, then unknown kinds.
std::ptrdiff_t rank_of_type(std::string_view type) {
    constexpr std::array<std::string_view, 5> k_ranked = {"PTA", "MINDSPORE", "ATB", "HAL", "PTA_WORKSPACE"};
    return std::ranges::find(k_ranked, type) - k_ranked.begin();
}

/// Names a part. `has_number`: the part has the number of its device, so that the name can omit it. `is_shared`: several
/// processes have memory on the device, so that the name includes the process.
std::string part_name(const Part& part, const std::string& type, bool has_number, bool is_shared) {
    std::string name = type;
    if (part.device == k_host) {
        name += " of the host";
    } else if (part.device == k_no_device) {
        name += ", device not known";
    } else if (!has_number) {
        name += fmt::format(" of device {}", part.device);
    }
    if (!is_shared) return name;
    return name + (part.process == 0 ? " in an unknown process" : fmt::format(" in process {}", part.process));
}

class MemscopeReader {
public:
    MemscopeReader(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot) : file_(file), snapshot_(snapshot) {}

    void run(LoadedFile& loaded) {
        const std::optional<DumpColumns> columns = find_dump(*file_);
        if (!columns) {
            snapshot_.log.add("no_blocks", {},
                              {"there is no memory to draw, because the msMemScope table lacks its column of events or its "
                               "column of times"});
            return;
        }
        Dump dump = read_dump(*file_, *columns, snapshot_);
        find_end(dump);
        const Blocks blocks = pair_changes(dump, snapshot_.log);
        std::vector<BuiltPart> built = build_parts(dump, blocks, snapshot_);
        name_parts(dump, blocks, built);
        if (built.empty()) built.push_back(without_blocks());
        const std::vector<ActivitySpan> spans = spans_of(dump, blocks.parts);
        for (std::size_t i = 0; i < built.size(); ++i) {
            DeviceTrace& trace = built[i].trace;
            const Part part = blocks.parts.empty() ? Part{} : blocks.parts[i];
            trace.tracks = activity_tracks(spans, snapshot_, part, has_all_tracks(blocks.parts, i));
            trace.presentation.prefers_time = true;
            trace.start_us = us_of(dump.start_ns);
            trace.end_us = us_of(dump.end_ns);
            log_rest(trace);
        }
        std::ranges::stable_sort(built, {}, [](const BuiltPart& part) { return part.trace.device; });
        std::vector<AllocationRows> rows;
        for (BuiltPart& part : built) {
            snapshot_.devices.push_back(std::move(part.trace));
            rows.push_back(std::move(part.rows));
        }
        loaded.details = std::make_shared<MemscopeDetails>(file_, *columns, dump.ns_per_unit, std::move(rows));
        loaded.views = {event_view(*columns, dump.ns_per_unit)};
    }

private:
    /// Extends the end of the recording to the last Python call, which may end after the last event. Ranges without an end
    /// extend to the end of the recording.
    void find_end(Dump& dump) {
        if (dump.end_ns == k_no_ns) return;
        for (const std::string& table : file_->tables()) {
            if (!table.starts_with("python_trace_")) continue;
            const auto column = file_->find_column(table, {"EndTime(ns)", "endTime"});
            if (!column) continue;
            const auto row = first_row(*file_, fmt::format("SELECT max(CAST({0} AS INTEGER)) FROM {1}",
                                                           sqlite::sql_name(*column), sqlite::sql_name(table)));
            if (!row || row->type(0) != sqlite::ValueType::integer) continue;
            const std::int64_t end = row->integer(0);
            const std::int64_t latest = (dump.end_ns + k_day_ns) / dump.ns_per_unit;
            if (end > dump.end_ns / dump.ns_per_unit && end < latest) dump.end_ns = end * dump.ns_per_unit;
        }
    }

    /// Pairs the occurrences. Those of a process without memory of its own, such as a launcher, are assigned to all
    /// processes.
    std::vector<ActivitySpan> spans_of(const Dump& dump, const std::vector<Part>& parts) const {
        std::vector<ActivitySpan> spans = OccurrencePairing(dump, snapshot_).run();
        std::unordered_set<std::int64_t, KeyedHash> with_memory;
        for (const Part& part : parts) with_memory.insert(part.process);
        for (ActivitySpan& span : spans) {
            if (!with_memory.contains(span.process)) span.process = 0;
        }
        return spans;
    }

    /// Gives the most important part of each device the device's number, so that users can select the device by it.
    void name_parts(const Dump& dump, const Blocks& blocks, std::vector<BuiltPart>& built) {
        std::int32_t next_number = k_first_part_number;
        is_main_.assign(built.size(), false);
        for (std::size_t i = 0; i < built.size(); ++i) {
            const Part& part = blocks.parts[i];
            const auto order = [&](const Part& p) {
                return std::tuple(rank_of_type(dump.types[p.type]), p.type, p.process);
            };
            bool has_number = part.device >= 0, is_shared = false;
            is_main_[i] = true;
            for (const Part& other : blocks.parts) {
                if (other.device != part.device) continue;
                is_shared |= other.process != part.process;
                if (order(other) >= order(part)) continue;
                has_number = false;
                if (other.process == part.process) is_main_[i] = false;
            }
            DeviceTrace& trace = built[i].trace;
            trace.is_host = part.device == k_host;
            trace.part = part_name(part, dump.types[part.type], has_number, is_shared);
            trace.device = has_number ? part.device : next_number--;
        }
    }

    /// True if the tracks of a process's operators and kernels are shown with this part: its main memory on the device. If
    /// no part has a device, they are shown with the process's first part.
    bool has_all_tracks(const std::vector<Part>& parts, std::size_t index) const {
        if (index >= parts.size()) return true;
        if (std::ranges::any_of(parts, [](const Part& part) { return part.device >= 0; }))
            return is_main_[index] && parts[index].device >= 0;
        const auto is_same_process = [&](const Part& part) { return part.process == parts[index].process; };
        return std::ranges::find_if(parts, is_same_process) == parts.begin() + static_cast<std::ptrdiff_t>(index);
    }

    BuiltPart without_blocks() {
        snapshot_.log.add("no_blocks", {},
                          {"there are no blocks to draw, because no row says when, where and how much was allocated"});
        BuiltPart none;
        none.trace.allocations_are_given = true;
        return none;
    }

    void log_rest(const DeviceTrace& trace) {
        if (trace.allocations.size() == 0 || trace.allocations.origin.front() != Origin::derived) return;
        snapshot_.log.add("before_profile", {.subject = trace.part},
                          {fmt::format("{} ({}) were allocated before the recording started and kept throughout: the "
                                       "allocator reports that much more in use than the known blocks add up to",
                                       format_bytes(trace.allocations.size_bytes.front()), trace.part)});
    }

    const std::shared_ptr<sqlite::SqliteFile>& file_;
    Snapshot& snapshot_;
    /// Indexed by part: true if the part is the most important kind of memory of its process on its device.
    std::vector<bool> is_main_;
};

}  // namespace
}  // namespace memscope

bool is_msmemscope(const sqlite::SqliteFile& file) { return has_any_table(file, {"memscope_dump", "leaks_dump"}); }

void read_msmemscope(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::msmemscope;
    memscope::MemscopeReader(file, snapshot).run(loaded);
}

}  // namespace snapviewer::profilers
