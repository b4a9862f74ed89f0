#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/load/profilers/readers.h"
#include "core/load/profilers/tables.h"
#include "core/trace/segment_map.h"
#include "core/trace/segments.h"
#include "core/trace/snapshot.h"

namespace snapviewer::profilers {
namespace {

/// Computes the segments of a device at the end of a recording from those at its start and the segment events, for
/// recordings that do not list them. Adjacent expandable segments are joined, as in a snapshot. O(log segments) per event.
class SegmentReplay {
public:
    /// Applies one event. Has no effect if the event is not about segments.
    void take(const EventRow& event) {
        const AddressSpan span{event.address, event.address + event.size_bytes};
        if (span.end < span.begin) return;
        switch (event.action) {
            case Action::segment_alloc:
            case Action::segment_map:
                mapped_.add(span, {event.action == Action::segment_map, event.stream, event.stack});
                break;
            case Action::segment_free: mapped_.erase(span.begin); break;
            case Action::segment_unmap: mapped_.cut(span); break;
            default: break;
        }
    }

    /// Writes the remaining segments into the snapshot, sorted by address, each with the blocks inside it and with inactive
    /// blocks for the gaps. `live` contains the blocks in use, in any order. Returns how many of them lie outside all
    /// segments or overlap another block.
    std::uint64_t write(std::int32_t device, std::vector<Block> live, Snapshot& snapshot) const {
        std::ranges::stable_sort(live, {}, &Block::address);
        std::uint64_t astray = 0;
        auto block = live.begin();
        for (const auto& [address, range] : mapped_.ranges()) {
            for (; block != live.end() && block->address < address; ++block) ++astray;
            Segment segment;
            segment.device = device;
            segment.address = address;
            segment.total_bytes = range.end - address;
            segment.is_expandable = range.value.is_expandable;
            segment.stream = range.value.stream;
            segment.stack = range.value.stack;
            segment.first_block = static_cast<std::uint32_t>(snapshot.blocks.size());
            std::uint64_t at = address;
            const auto fill_until = [&](std::uint64_t end) {
                if (at < end) snapshot.blocks.push_back({at, end - at, 0, BlockState::inactive, StackId::none()});
            };
            for (; block != live.end() && block->address < range.end; ++block) {
                if (block->address < at || block->size_bytes > range.end - block->address) {
                    ++astray;
                    continue;
                }
                fill_until(block->address);
                snapshot.blocks.push_back(*block);
                at = block->address + block->size_bytes;
                segment.active_bytes += block->size_bytes;
                segment.requested_bytes += block->requested_bytes;
                if (block->state == BlockState::active_allocated) segment.allocated_bytes += block->size_bytes;
            }
            fill_until(range.end);
            segment.block_count = static_cast<std::uint32_t>(snapshot.blocks.size()) - segment.first_block;
            snapshot.segments.push_back(segment);
        }
        return astray + static_cast<std::uint64_t>(live.end() - block);
    }

private:
    struct Mapped {
        bool is_expandable = false;
        std::uint16_t stream = 0;
        StackId stack;

        bool join(const Mapped& next) const { return is_expandable && next.is_expandable && stream == next.stream; }
    };

    SegmentMap<Mapped> mapped_;
};

constexpr std::string_view k_events = "trace_entry";
constexpr std::string_view k_blocks = "block";
constexpr const char* k_address = "address|addr";
constexpr const char* k_free_event = "freeEventId|free_event_id";

/// The device in the name of a table such as "block_3"; 0 for "block" from the first versions. nullopt if the table is not
/// of this kind.
std::optional<std::int32_t> device_of_table(std::string_view table, std::string_view kind) {
    const auto is_same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    if (!std::ranges::equal(table.substr(0, kind.size()), kind, is_same)) return std::nullopt;
    std::string_view rest = table.substr(kind.size());
    if (rest.empty()) return 0;
    if (!rest.starts_with('_')) return std::nullopt;
    rest.remove_prefix(1);
    const auto device = parse_number<std::int32_t>(rest);
    return device && *device >= 0 ? device : std::nullopt;
}

/// Names of the tables of one device; empty if the file lacks them.
struct DeviceTables {
    std::string events;
    std::string blocks;
};

std::map<std::int32_t, DeviceTables> device_tables(const sqlite::SqliteFile& file) {
    std::map<std::int32_t, DeviceTables> found;
    for (const std::string& table : file.tables()) {
        if (const auto device = device_of_table(table, k_events)) found[*device].events = table;
    }
    for (const std::string& table : file.tables()) {
        const auto device = device_of_table(table, k_blocks);
        if (device && found.contains(*device)) found[*device].blocks = table;
    }
    return found;
}

/// Meanings of the numbers in coded columns. The table `dictionary` lists them for each table, but they are always the same.
class TextDictionary {
public:
    TextDictionary(sqlite::SqliteFile& file, ImportLog& log) {
        constexpr std::array k_actions = {"segment_map", "segment_unmap",  "segment_alloc",  "segment_free",
                                          "alloc",       "free_requested", "free_completed", "workspace_snapshot"};
        for (std::size_t i = 0; i < k_actions.size(); ++i) words_[{"action", static_cast<std::int64_t>(i)}] = k_actions[i];
        words_[{"state", -1}] = block_state_name(BlockState::inactive);
        words_[{"state", 0}] = block_state_name(BlockState::active_pending_free);
        words_[{"state", 1}] = block_state_name(BlockState::active_allocated);
        bool has_any = false;
        const std::string sql = select_columns(file, "dictionary", {"column", "key", "value"});
        each_row(file, "dictionary", sql, log, [&](const sqlite::SqliteRows& rows) {
            const auto key = whole_number(rows, 1);
            if (!key) return;
            words_[{std::string(rows.text(0)), *key}] = rows.text(2);
            has_any = true;
        });
        if (!has_any) {
            log.add("snapshot_table_missing", {.subject = "dictionary"},
                    {"the file does not say what the numbers of its actions and states mean (table dictionary); they "
                     "are read with the meanings that MindStudio Insight has always used"});
        }
    }

    /// The text for a coded value. A value that is not a number is returned as it is.
    std::string word(const sqlite::SqliteRows& rows, int place, const char* column) const {
        const auto key = whole_number(rows, place);
        if (!key) return std::string(rows.text(place));
        const auto found = words_.find({column, *key});
        return found == words_.end() ? std::to_string(*key) : found->second;
    }

private:
    std::map<std::pair<std::string, std::int64_t>, std::string> words_;
};

/// Splits a line at the first ":12 ", because file names may contain colons and function names spaces.
StackLine stack_line(std::string_view line) {
    for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
        std::uint32_t number = 0;
        const std::size_t digits = read_number(line.substr(colon + 1), number);
        const std::string_view rest = line.substr(colon + 1 + digits);
        if (digits > 0 && rest.starts_with(' ')) return {line.substr(0, colon), rest.substr(1), number};
    }
    return {"", line, 0};
}

/// Parses a stack: one line per frame, outermost first, in the form "file:line function".
std::vector<StackLine> stack_frames(std::string_view text) {
    std::vector<StackLine> frames;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) frames.push_back(stack_line(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return frames;
}

class DeviceReader {
public:
    DeviceReader(sqlite::SqliteFile& file, Snapshot& snapshot, const TextDictionary& dictionary, SnapshotWords& words,
                 StackTexts& stacks)
        : file_(file), snapshot_(snapshot), dictionary_(dictionary), words_(words), stacks_(stacks) {}

    void run(std::int32_t device, const DeviceTables& tables) {
        device_ = device;
        if (!has_columns(tables.events, {"action", k_address, "size"})) return;
        if (!read_events(tables.events, "")) {
            trace_ = {};
            segments_ = {};
            event_ids_.clear();
            read_events(tables.events, " ORDER BY CAST(id AS INTEGER)");
        }
        const std::size_t segments_before = snapshot_.segments.size();
        const std::uint64_t astray = segments_.write(device, live_blocks(tables.blocks), snapshot_);
        if (astray > 0) {
            snapshot_.log.add("block_outside_segments", {.count = astray},
                              {"blocks that lie in no segment or overlap; they are drawn only if an event mentions them"});
        }
        if (trace_.size() == 0 && segments_before == snapshot_.segments.size()) return;
        DeviceTrace& trace = words_.device(device);
        trace.events = std::move(trace_);
        if (file_.is_cut_short()) trace.cut_off = is_cut_ ? CutOff::in_the_events : CutOff::behind;
    }

private:
    bool has_columns(std::string_view table, std::initializer_list<const char*> needed) {
        bool has_all = true;
        for (const std::string_view names : needed) {
            if (Wanted(names.data()).sql(file_, table) != "NULL") continue;
            const std::string_view column = names.substr(0, names.find('|'));
            has_all = false;
            snapshot_.log.add("snapshot_column_missing", {.subject = fmt::format("{}.{}", table, column)}, {table, column});
        }
        return has_all;
    }

    /// Reads the events. Returns false if the number of a row is smaller than that of the row before; the caller then reads
    /// the table again, sorted.
    bool read_events(const std::string& table, const std::string& order) {
        const std::string sql =
            select_columns(file_, table, {"id", "action", k_address, "size", "stream", "callstack|call_stack"});
        bool is_sorted = true;
        std::int64_t last_id = std::numeric_limits<std::int64_t>::min();
        const auto damage = read_rows(file_, sql + order, [&](const sqlite::SqliteRows& row) {
            const std::int64_t id = whole_number(row, 0).value_or(static_cast<std::int64_t>(event_ids_.size()));
            is_sorted = is_sorted && (!order.empty() || id >= last_id);
            if (!is_sorted) return;
            last_id = id;
            EventRow event;
            event.action = action(row, 1);
            event.address = static_cast<std::uint64_t>(whole_number(row, 2).value_or(0));
            event.size_bytes = size(row, 3);
            event.stream = words_.stream(static_cast<std::uint64_t>(whole_number(row, 4).value_or(0)));
            event.stack = stacks_.intern(row.text(5));
            segments_.take(event);
            // Rows with negative ids describe the state at the start of the recording in the form of events.
            if (id < 0) return;
            trace_.push(event);
            event_ids_.push_back(id);
        });
        if (!is_sorted) return false;
        is_cut_ |= damage.has_value();
        if (damage) log_damage(snapshot_.log, table, *damage);
        return true;
    }

    Action action(const sqlite::SqliteRows& rows, int place) {
        const auto key = whole_number(rows, place);
        if (!key) return words_.action(rows.text(place));
        const auto known = actions_.find(*key);
        if (known != actions_.end()) return known->second;
        return actions_[*key] = words_.action(dictionary_.word(rows, place, "action"));
    }

    std::uint64_t size(const sqlite::SqliteRows& rows, int place) {
        const std::int64_t size_bytes = whole_number(rows, place).value_or(0);
        if (size_bytes < 0) snapshot_.log.add("negative_size", {}, {"negative sizes, read as 0"});
        return static_cast<std::uint64_t>(std::max<std::int64_t>(size_bytes, 0));
    }

    /// Reads the blocks in use at the end: those that no event frees.
    std::vector<Block> live_blocks(const std::string& table) {
        std::vector<Block> live;
        if (table.empty()) {
            const std::string name = fmt::format("{}_{}", k_blocks, device_);
            snapshot_.log.add(
                "snapshot_table_missing", {.subject = name},
                {fmt::format("there is no table {}, so what was allocated before the recording and never freed is unknown",
                             name)});
            return live;
        }
        if (!has_columns(table, {k_address, "size", k_free_event})) return live;
        const std::unordered_set<std::uint64_t, KeyedHash> pending = pending_addresses();
        const std::string sql = select_columns(
            file_, table,
            {k_address, "size", "requestedSize|requested_size", "state", "allocEventId|alloc_event_id", k_free_event});
        const auto damage = each_row(file_, table, sql, snapshot_.log, [&](const sqlite::SqliteRows& rows) {
            const std::string state = dictionary_.word(rows, 3, "state");
            if (whole_number(rows, 5).value_or(-1) >= 0 || state == block_state_name(BlockState::inactive)) return;
            Block block;
            block.address = static_cast<std::uint64_t>(whole_number(rows, 0).value_or(0));
            block.size_bytes = size(rows, 1);
            block.requested_bytes = rows.type(2) == sqlite::ValueType::null ? block.size_bytes : size(rows, 2);
            const bool waits = state == block_state_name(BlockState::active_pending_free) || pending.contains(block.address);
            block.state = waits ? BlockState::active_pending_free : BlockState::active_allocated;
            block.stack = stack_of_event(whole_number(rows, 4).value_or(-1));
            live.push_back(block);
        });
        is_cut_ |= damage.has_value();
        return live;
    }

    /// Addresses with a requested free that was not completed. The table of blocks does not show this, because its state is
    /// from before the request.
    std::unordered_set<std::uint64_t, KeyedHash> pending_addresses() const {
        std::unordered_set<std::uint64_t, KeyedHash> pending;
        for (std::size_t i = 0; i < trace_.size(); ++i) {
            if (trace_.action[i] == Action::free_requested) pending.insert(trace_.address[i]);
            if (trace_.action[i] == Action::free_completed) pending.erase(trace_.address[i]);
        }
        return pending;
    }

    StackId stack_of_event(std::int64_t id) const {
        const auto found = std::ranges::lower_bound(event_ids_, id);
        if (found == event_ids_.end() || *found != id) return StackId::none();
        return trace_.stack[static_cast<std::size_t>(found - event_ids_.begin())];
    }

    sqlite::SqliteFile& file_;
    Snapshot& snapshot_;
    const TextDictionary& dictionary_;
    SnapshotWords& words_;
    StackTexts& stacks_;
    std::int32_t device_ = 0;
    EventColumns trace_;
    std::vector<std::int64_t> event_ids_;  ///< Row ids of the events, parallel to trace_; ascending.
    bool is_cut_ = false;                  ///< True if rows of the device's tables are missing.

    std::unordered_map<std::int64_t, Action, KeyedHash> actions_;
    SegmentReplay segments_;
};

}  // namespace

bool is_insight_snapshot(const sqlite::SqliteFile& file) {
    const std::map<std::int32_t, DeviceTables> tables = device_tables(file);
    // Both table names without a number are too common to recognise the file by one of them alone.
    return std::ranges::any_of(tables, [](const auto& device) {
        return device.second.events.size() > k_events.size() || !device.second.blocks.empty();
    });
}

void read_insight_snapshot(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile&) {
    snapshot.kind = FileKind::insight_snapshot;
    const TextDictionary dictionary(*file, snapshot.log);
    SnapshotWords words(snapshot);
    StackTexts stacks(snapshot, StackTexts::Order::outermost_first, stack_frames);
    for (const auto& [device, tables] : device_tables(*file)) {
        DeviceReader(*file, snapshot, dictionary, words, stacks).run(device, tables);
    }
    renumber_stacks(snapshot);
    number_streams(snapshot);
}

}  // namespace snapviewer::profilers
