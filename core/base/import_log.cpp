#include "core/base/import_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"

namespace snapviewer {
namespace {

using enum ImportCode;
using enum Severity;

constexpr std::array k_kinds = {
    ImportKind{cut_short, "cut_short", data_loss,
               "a pickle, JSON, compressed data or base64 text that is cut off or damaged",
               "opens with everything before that place, if there is at least one event, segment or point"},
    ImportKind{damaged_packing, "damaged_packing", data_loss,
               "compressed data or base64 text that is damaged, as its checksum or its end shows, around a whole snapshot",
               "opens; any of its values may be wrong"},
    ImportKind{file_cut_short, "file_cut_short", data_loss, "a database shorter than its header says",
               "what lies before the cut is read; tables that extend beyond it cannot be read"},
    ImportKind{table_cut, "table_cut", data_loss, "a table of a database that could not be read to the end",
               "the rows before that are used"},
    ImportKind{missing_shards, "missing_shards", data_loss, "a missing shard of SnapViewer's elements",
               "the shards before it are used"},
    ImportKind{elements_cut_short, "elements_cut_short", data_loss,
               "a SnapViewer elements.db that could not be read to the end", "the elements before that are used"},
    ImportKind{elements_out_of_step, "elements_out_of_step", data_loss,
               "SnapViewer elements that contradict the allocations", "their stacks are not shown"},
    ImportKind{allocation_without_element, "allocation_without_element", data_loss,
               "a SnapViewer allocation that has no element", "its size and outline are shown"},
    ImportKind{ring_buffer_wrapped, "ring_buffer_wrapped", data_loss, "the recording ran out of room",
               "the oldest events are missing"},
    ImportKind{alloc_on_open_address, "alloc_on_open_address", data_loss, "an allocation at an address that is still in use",
               "both are shown, the older one up to the end"},
    ImportKind{total_above_capacity, "total_above_capacity", data_loss, "a total larger than the device's memory",
               "shown as it is; frees are missing"},
    ImportKind{bad_device, "bad_device", data_loss, "an impossible device number", "taken as 0"},
    ImportKind{negative_size, "negative_size", data_loss, "an impossible size", "taken as 0"},
    ImportKind{report_stack_too_deep, "report_stack_too_deep", data_loss,
               "a stack in a report that is deeper than any real stack", "its innermost frames are shown"},
    ImportKind{impossible_size, "impossible_size", data_loss, "sizes that together exceed the memory of any machine",
               "taken as 0; free memory as unknown"},
    ImportKind{stray_times, "stray_times", notice, "a few events whose times are far from all others",
               "taken as not recorded"},
    ImportKind{clock_set_back, "clock_set_back", notice, "times of events that jump back, because the clock was set back",
               "later times are counted on from the last one before the jump, in the picture and in SQL"},
    ImportKind{impossible_time, "impossible_time", data_loss, "a time thousands of years away", "taken as not recorded"},
    ImportKind{journal_left_out, "journal_left_out", data_loss,
               "a journal next to a database that is not a regular file (a link or a pipe, for example)",
               "the database is read without it"},
    ImportKind{timeline_uneven, "timeline_uneven", data_loss, "a memory timeline whose numbers of times and totals differ",
               "the complete pairs are shown"},
    ImportKind{views_left_out, "views_left_out", notice, "database views that refer to one another exponentially often",
               "these views are not listed; the other tables are"},
    ImportKind{elements_put_right, "elements_put_right", notice,
               "a SnapViewer elements.db that pairs stacks with the wrong allocations",
               "corrected: each allocation gets its own stack"},
    ImportKind{reserved_at_end, "reserved_at_end", notice,
               "segments that contradict their events or their blocks, or whose events were skipped",
               "shown; reserved memory is known only at the end"},
    ImportKind{device_without_segments, "device_without_segments", notice, "events of a device without segments",
               "shown; reserved memory is unknown"},
    ImportKind{duplicate_key, "duplicate_key", notice, "a key that occurs twice in one JSON object",
               "the last value counts, as in Python"},
    ImportKind{not_a_number, "not_a_number", notice, "NaN or Infinity in JSON",
               "read as Python does, or as missing where a number is expected"},
    ImportKind{unknown_action, "unknown_action", notice, "an event with an unknown action",
               "kept under its own name, but not drawn"},
    ImportKind{unknown_root_key, "unknown_root_key", notice, "an unknown key at the top level",
               "kept in the table `settings`"},
    ImportKind{recorder_facts_unreadable, "recorder_facts_unreadable", notice,
               "a damaged `.about.json` of the recorder beside the snapshot",
               "what it says of the card's memory is not shown"},
    ImportKind{unknown_event_key, "unknown_event_key", notice, "an unknown key of events", "counted, not shown"},
    ImportKind{unknown_frame_key, "unknown_frame_key", notice, "an unknown key of frames", "counted, not shown"},
    ImportKind{unknown_segment_key, "unknown_segment_key", notice, "an unknown key of segments", "counted, not shown"},
    ImportKind{unknown_block_key, "unknown_block_key", notice, "an unknown key of blocks", "counted, not shown"},
    ImportKind{unknown_keys, "unknown_keys", notice, "more unknown keys than are listed one by one", "counted, not shown"},
    ImportKind{timeline_unordered, "timeline_unordered", notice, "a memory timeline whose times go backwards",
               "its points are sorted"},
    ImportKind{timeline_below_zero, "timeline_below_zero", notice, "a category of a memory timeline that falls below 0",
               "drawn as 0 there"},
    ImportKind{timeline_category, "timeline_category", notice, "an unknown category of a memory timeline",
               "counted as Unknown"},
    ImportKind{timeline_action, "timeline_action", notice, "an unknown action of a memory timeline",
               "its bytes are counted"},
    ImportKind{other_snapshots, "other_snapshots", notice,
               "a zip with more than one snapshot, or several pickles in one file",
               "the largest of the zip, or the first pickle, is opened; a file note tells of the others"},
    ImportKind{unusable_members, "unusable_members", notice, "a zip whose larger members are not snapshots",
               "the largest snapshot is opened"},
    ImportKind{totals_mismatch, "totals_mismatch", notice, "Ascend blocks that disagree with the recorded totals",
               "shown; the file note says by how much, and when"},
    ImportKind{no_blocks, "no_blocks", notice, "an Ascend profile without blocks",
               "curves and tracks are shown; the file note says why there are no blocks"},
    ImportKind{released_before_allocated, "released_before_allocated", notice, "an Ascend block that ends before it begins",
               "drawn up to the end"},
    ImportKind{rows_not_drawn, "rows_not_drawn", notice, "an Ascend block without a size, a time or an address",
               "in the table, not in the picture"},
    ImportKind{size_impossible, "size_impossible", notice, "an Ascend block larger than any device",
               "in the table, not in the picture"},
    ImportKind{times_far_off, "times_far_off", notice, "rows whose times are more than a day away from all others",
               "in the tables, not in the picture"},
    ImportKind{duplicate_rows, "duplicate_rows", notice,
               "repeated rows: exact copies in OP_MEMORY; in msMemScope, an allocation at an address that is still in use",
               "drawn once"},
    ImportKind{component_unknown, "component_unknown", notice, "MEMORY_RECORD rows without the name of their allocator",
               "left out of the curves"},
    ImportKind{range_without_length, "range_without_length", notice,
               "steps or garbage collections that end before they begin", "left out"},
    ImportKind{too_many_ports, "too_many_ports", notice, "counters of more ports than can be drawn",
               "the first ones are drawn; the tables hold all of them"},
    ImportKind{report_empty, "report_empty", notice, "a report without entries", "opens without a picture"},
    ImportKind{report_table_missing, "report_table_missing", notice, "a report that lacks one of its tables",
               "the others are used"},
    ImportKind{report_column_missing, "report_column_missing", notice, "a table of a report that lacks one of its columns",
               "read as NULL"},
    ImportKind{snapshot_table_missing, "snapshot_table_missing", notice,
               "a snapshot stored as a database that lacks one of its tables", "the others are used"},
    ImportKind{snapshot_column_missing, "snapshot_column_missing", notice,
               "a snapshot stored as a database whose table lacks a required column", "the other tables are used"},
    ImportKind{block_outside_segments, "block_outside_segments", notice,
               "a snapshot stored as a database, with blocks outside every segment", "drawn only if an event mentions them"},
    ImportKind{export_is_less, "export_is_less", notice,
               "a database exported from a file that held more than tables can hold",
               "allocations, events and stacks are shown; the file note says what is missing"},
    ImportKind{report_entry_type, "report_entry_type", notice,
               "stacks in a report that belong to neither a weight nor an activation", "only in the table"},
    ImportKind{report_odd_time, "report_odd_time", notice, "an impossible time in a report", "drawn with no width"},
    ImportKind{report_odd_size, "report_odd_size", notice, "an impossible size in a report",
               "in the table, not in the picture"},
    ImportKind{report_no_peak, "report_no_peak", notice, "a memory report that does not state its peak",
               "no memory is drawn as untracked"},
    ImportKind{report_peak_too_small, "report_peak_too_small", notice,
               "a memory report whose peak is lower than the sum of what it lists",
               "a line marks the peak; no memory is drawn as untracked"},
    ImportKind{frees_not_recorded, "frees_not_recorded", notice,
               "requested frees whose completion was not recorded (skip_actions)",
               "memory counts as free from the request on"},
    ImportKind{host_left_out, "host_left_out", notice, "pinned host memory with rows that cannot be read",
               "the other rows are shown, and all of the device memory"},
    ImportKind{freed_before_seen, "freed_before_seen", info, "frees of blocks whose allocation was not recorded",
               "shown from the beginning on"},
    ImportKind{standing_blocks, "standing_blocks", info, "blocks that no recorded event mentions",
               "shown from the beginning on to the end"},
    ImportKind{unplaced_blocks, "unplaced_blocks", info,
               "blocks that no event allocates, in a file that is cut off before the end of its events",
               "hatched, after the last event"},
    ImportKind{no_segment_events, "no_segment_events", info,
               "a recording in which no memory is reserved from the driver or returned to it",
               "reserved memory is assumed to be constant"},
    ImportKind{alloc_without_stack, "alloc_without_stack", info, "allocations without a stack",
               "shown; the file note says how that happens"},
    ImportKind{page_view, "page_view", info, "an HTML page made by another viewer",
               "the snapshot in it is opened; the file note names the page's view"},
    ImportKind{read_from_copy, "read_from_copy", info, "a database with changes in a journal next to it",
               "a temporary copy that includes the changes is read"},
    ImportKind{only_tables, "only_tables", info, "a database without memory to draw", "its tables can be queried"},
    ImportKind{graph_engine_only, "graph_engine_only", info, "an msprof database that holds nothing from PyTorch",
               "the graph engine's blocks are drawn"},
    ImportKind{workspace_growth, "workspace_growth", info, "rows that record the growth of the WORKSPACE pool",
               "shown in that pool's curve of reserved memory"},
    ImportKind{before_profile, "before_profile", info, "memory that was allocated before an Ascend profile started",
               "derived from the totals and hatched"},
    ImportKind{release_without_allocation, "release_without_allocation", info,
               "an Ascend block of which only the release was recorded", "in the table, not in the picture"},
    ImportKind{report_no_source, "report_no_source", info, "entries of a report without a stack",
               "shown under \"(no source)\""},
    ImportKind{report_pair, "report_pair", info, "two reports of one model", "drawn along the times of the run-time report"},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < k_kinds.size(); ++i) {
        if (k_kinds[i].code != static_cast<ImportCode>(i)) return false;
    }
    return k_kinds.size() == static_cast<std::size_t>(report_pair) + 1;
}
static_assert(is_in_order(), "every code has its row, in the order of the codes");

}  // namespace

const char* severity_words(Severity severity) { return severity == data_loss ? "data loss" : severity_text(severity); }

const char* severity_text(Severity severity) {
    switch (severity) {
        case info: return "info";
        case notice: return "notice";
        case data_loss: return "data_loss";
    }
    return "";
}

std::span<const ImportKind> import_kinds() { return k_kinds; }

const ImportKind& import_kind(ImportCode code) { return k_kinds[static_cast<std::size_t>(code)]; }

std::string import_codes_markdown() {
    std::string table = "| what is wrong | what happens | severity | code |\n| --- | --- | --- | --- |\n";
    for (const ImportKind& kind : k_kinds) {
        table += fmt::format("| {} | {} | {} | `{}` |\n", kind.what_is_wrong, kind.what_happens,
                             severity_text(kind.severity), kind.name);
    }
    return table;
}

namespace {

/// Maximum size of a code or message. Both may contain keys from the file, which can be of any length.
constexpr std::size_t k_most_detail_bytes = 1000;

}  // namespace

void ImportLog::add(ImportCode code, std::string_view message, std::optional<std::uint64_t> offset, std::uint64_t count) {
    const ImportKind& kind = import_kind(code);
    add_named(kind.severity, std::string(kind.name), message, offset, count);
}

void ImportLog::add_about(ImportCode code, std::string_view subject, std::string_view message,
                          std::optional<std::uint64_t> offset, std::uint64_t count) {
    const ImportKind& kind = import_kind(code);
    add_named(kind.severity, std::string(kind.name).append(":").append(subject), message, offset, count);
}

void ImportLog::add(ImportEntry entry) {
    entry.code = shortened(entry.code, k_most_detail_bytes);
    entry.message = shortened(entry.message, k_most_detail_bytes);
    entries_.push_back(std::move(entry));
}

void ImportLog::add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                          std::uint64_t count) {
    name = shortened(name, k_most_detail_bytes);
    const auto known = std::ranges::find(entries_, name, &ImportEntry::code);
    if (known != entries_.end()) {
        known->count += count;
        return;
    }
    entries_.push_back({severity, std::move(name), shortened(message, k_most_detail_bytes), count, offset});
}

}  // namespace snapviewer
