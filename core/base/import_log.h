#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Severity of an entry of the import log, from "good to know" to "part of the file is not shown".
enum class Severity : std::uint8_t { info, notice, data_loss };

const char* severity_text(Severity severity);   ///< name in JSON and SQL: "info", "notice", "data_loss"
const char* severity_words(Severity severity);  ///< name for users: "info", "notice", "data loss"

/// An anomaly of a file that does not prevent it from opening.
struct ImportKind {
    std::string_view name;  ///< stable name for scripts: "alloc_on_open_address"
    Severity severity;
    std::string_view what_is_wrong;  ///< the anomaly, for the documentation: "an impossible device number"
    std::string_view what_happens;   ///< how a reader handles the anomaly, for the documentation: "taken as 0"
    std::string_view message;        ///< message for users; each {} is replaced by a value of the file
};

/// All anomalies. docs/formats.md lists them in this order.
inline constexpr auto k_import_kinds = [] {
    using enum Severity;
    return std::to_array<ImportKind>({
        {"cut_short", data_loss, "a pickle, JSON, compressed data or base64 text that is cut off or damaged",
         "opens with everything before that place, if there is at least one event, segment or point",
         "the file {}; what came before is kept: {}"},
        {"damaged_packing", data_loss,
         "compressed data or base64 text that is damaged, as its checksum or its end shows, around a whole snapshot",
         "opens; any of its values may be wrong",
         "the file {}; the snapshot in it was read to its end, but any of its values may be wrong"},
        {"file_cut_short", data_loss, "a database shorter than its header says",
         "what lies before the cut is read; tables that extend beyond it cannot be read",
         "the file is shorter than its header says; everything after the cut is missing, and tables that extend beyond it "
         "cannot be read"},
        {"table_cut", data_loss, "a table of a database that could not be read to the end", "the rows before that are used",
         "only a part of the table {} could be read; it {}"},
        {"missing_shards", data_loss, "a missing shard of SnapViewer's elements", "the shards before it are used",
         "elements_{}.json is missing; of the {} files of elements, only those before it are read"},
        {"elements_cut_short", data_loss, "a SnapViewer elements.db that could not be read to the end",
         "the elements before that are used", "elements.db could not be read to the end: {}"},
        {"elements_out_of_step", data_loss, "SnapViewer elements that contradict the allocations",
         "their stacks are not shown", "{}"},
        {"allocation_without_element", data_loss, "a SnapViewer allocation that has no element",
         "its size and outline are shown", "allocations without an element, of which only the size and outline are known"},
        {"ring_buffer_wrapped", data_loss, "the recording ran out of room", "the oldest events are missing",
         "the recording ran out of room{}, so its oldest events are lost; what was allocated before is drawn from the "
         "beginning, if it is known at all"},
        {"alloc_on_open_address", data_loss, "an allocation at an address that is still in use",
         "both are shown, the older one up to the end",
         "an allocation started at an address that was never freed, so events are missing; the older one stays in the "
         "picture to the end (first at event {}{})"},
        {"total_above_capacity", data_loss, "a total larger than the device's memory", "shown as it is; frees are missing",
         "the total reaches {} on device {}, which has at most {} for this process; frees are missing from the recording, "
         "and what they freed stays in the picture"},
        {"bad_device", data_loss, "an impossible device number", "taken as 0", "{}"},
        {"negative_size", data_loss, "an impossible size", "taken as 0", "{}"},
        {"report_stack_too_deep", data_loss, "a stack in a report that is deeper than any real stack",
         "its innermost frames are shown", "stacks deeper than {} frames; the outermost frames are not shown"},
        {"impossible_size", data_loss, "sizes that together exceed the memory of any machine",
         "taken as 0; free memory as unknown", "{}"},
        {"stray_times", notice, "a few events whose times are far from all others", "taken as not recorded",
         "times of events that lie far from all others; read as not recorded (first at event {} on device {})"},
        {"clock_set_back", notice, "times of events that jump back, because the clock was set back",
         "later times are counted on from the last one before the jump, in the picture and in SQL",
         "the clock was set back by {} before event {} on device {}; later times are counted on from there"},
        {"impossible_time", data_loss, "a time thousands of years away", "taken as not recorded",
         "times more than 18,000 years away from 1970; read as not recorded"},
        {"journal_left_out", data_loss,
         "a journal next to a database that is not a regular file (a link or a pipe, for example)",
         "the database is read without it",
         "a {} next to the file is a link, a pipe or otherwise not a regular file; any changes in it are missing"},
        {"timeline_uneven", data_loss, "a memory timeline whose numbers of times and totals differ",
         "the complete pairs are shown", "the memory timeline has {} times and {} totals; only complete pairs are shown"},
        {"views_left_out", notice, "database views that refer to one another exponentially often",
         "these views are not listed; the other tables are",
         "views that refer to one another so often that even their columns cannot be worked out; they are not listed"},
        {"elements_put_right", notice, "a SnapViewer elements.db that pairs stacks with the wrong allocations",
         "corrected: each allocation gets its own stack",
         "elements.db lists its stacks in the order of events but the allocations in drawing order, which pairs these "
         "allocations with the wrong stacks; here each one has its own"},
        {"reserved_at_end", notice, "segments that contradict their events or their blocks, or whose events were skipped",
         "shown; reserved memory is known only at the end",
         "reserved memory of device {} is known only at the end of the recording: {}"},
        {"device_without_segments", notice, "events of a device without segments", "shown; reserved memory is unknown",
         "device {} has events but no segments, so its reserved memory and the blocks that no event mentions are unknown "
         "(the same holds for the other devices counted here)"},
        {"duplicate_key", notice, "a key that occurs twice in one JSON object", "the last value counts, as in Python",
         "a key occurs twice in one object ('{}' and perhaps others); the last value counts"},
        {"not_a_number", notice, "NaN or Infinity in JSON", "read as Python does, or as missing where a number is expected",
         "the JSON holds NaN or Infinity, which are not valid JSON; they are read as Python does"},
        {"unknown_action", notice, "an event with an unknown action", "kept under its own name, but not drawn", "events {}"},
        {"unknown_root_key", notice, "an unknown key at the top level", "kept in the table `settings`",
         "the file holds '{}', which is listed with the settings but not drawn"},
        {"recorder_facts_unreadable", notice, "a damaged `.about.json` of the recorder beside the snapshot",
         "what it says of the card's memory is not shown", "{} beside the file {}"},
        {"unknown_event_key", notice, "an unknown key of events", "counted, not shown",
         "events have an unknown key, which is not shown: '{}'"},
        {"unknown_frame_key", notice, "an unknown key of frames", "counted, not shown",
         "frames have an unknown key, which is not shown: '{}'"},
        {"unknown_segment_key", notice, "an unknown key of segments", "counted, not shown",
         "segments have an unknown key, which is not shown: '{}'"},
        {"unknown_block_key", notice, "an unknown key of blocks", "counted, not shown",
         "blocks have an unknown key, which is not shown: '{}'"},
        {"unknown_keys", notice, "more unknown keys than are listed one by one", "counted, not shown",
         "more unknown keys, which are not shown"},
        {"timeline_unordered", notice, "a memory timeline whose times go backwards", "its points are sorted",
         "times of the memory timeline go backwards; its {} were sorted"},
        {"timeline_below_zero", notice, "a category of a memory timeline that falls below 0", "drawn as 0 there",
         "totals of a category below 0, because more is freed than was recorded as allocated; drawn as 0"},
        {"timeline_category", notice, "an unknown category of a memory timeline", "counted as Unknown",
         "memory of an unknown category, counted as Unknown"},
        {"timeline_action", notice, "an unknown action of a memory timeline", "its bytes are counted",
         "events with an unknown action; their bytes are counted"},
        {"other_snapshots", notice, "a zip with more than one snapshot, or several pickles in one file",
         "the largest of the zip, or the first pickle, is opened; a file note tells of the others", "{}"},
        {"unusable_members", notice, "a zip whose larger members are not snapshots", "the largest snapshot is opened",
         "larger members of the zip could not be read as snapshots: {}; the first one {}"},
        {"totals_mismatch", notice, "Ascend blocks that disagree with the recorded totals",
         "shown; the file note says by how much, and when",
         "the blocks of device {} differ from the recorded totalActive by up to {} (at {} ns)"},
        {"no_blocks", notice, "an Ascend profile without blocks",
         "curves and tracks are shown; the file note says why there are no blocks", "{}"},
        {"released_before_allocated", notice, "an Ascend block that ends before it begins", "drawn up to the end",
         "blocks that end before they begin; they are drawn as alive up to the end"},
        {"rows_not_drawn", notice, "an Ascend block without a size, a time or an address",
         "in the table, not in the picture", "{}; they are in the table, but not in the picture"},
        {"size_impossible", notice, "an Ascend block larger than any device", "in the table, not in the picture",
         "{} with more bytes than any device has; they are in the table, but not in the picture"},
        {"times_far_off", notice, "rows whose times are more than a day away from all others",
         "in the tables, not in the picture",
         "rows whose times are more than a day away from all others; they are in the tables, but not in the picture"},
        {"duplicate_rows", notice,
         "repeated rows: exact copies in OP_MEMORY; in msMemScope, an allocation at an address that is still in use",
         "drawn once", "{}"},
        {"component_unknown", notice, "MEMORY_RECORD rows without the name of their allocator", "left out of the curves",
         "MEMORY_RECORD rows without the name of their allocator; they are left out of the curves"},
        {"range_without_length", notice, "steps or garbage collections that end before they begin", "left out",
         "steps or garbage collections that end before they begin; they are left out"},
        {"too_many_ports", notice, "counters of more ports than can be drawn",
         "the first ones are drawn; the tables hold all of them",
         "counters of more ports than can be drawn; the tables hold all of them"},
        {"report_empty", notice, "a report without entries", "opens without a picture", "the report lists no {}"},
        {"report_table_missing", notice, "a report that lacks one of its tables", "the others are used",
         "the report has no table {}"},
        {"report_column_missing", notice, "a table of a report that lacks one of its columns", "read as NULL",
         "the table {} has no column {}"},
        {"snapshot_table_missing", notice, "a snapshot stored as a database that lacks one of its tables",
         "the others are used", "{}"},
        {"snapshot_column_missing", notice, "a snapshot stored as a database whose table lacks a required column",
         "the other tables are used", "the table {} has no column {}, so nothing in it can be drawn"},
        {"block_outside_segments", notice, "a snapshot stored as a database, with blocks outside every segment",
         "drawn only if an event mentions them", "{}"},
        {"export_is_less", notice, "a database exported from a file that held more than tables can hold",
         "allocations, events and stacks are shown; the file note says what is missing", "{}"},
        {"report_entry_type", notice, "stacks in a report that belong to neither a weight nor an activation",
         "only in the table", "stacks of entries that are neither weights nor activations; they are only in the tables"},
        {"report_odd_time", notice, "an impossible time in a report", "drawn with no width",
         "negative or infinite times, drawn with no width"},
        {"report_odd_size", notice, "an impossible size in a report", "in the table, not in the picture",
         "negative or impossibly large sizes; they are in the tables, but not in the picture"},
        {"report_no_peak", notice, "a memory report that does not state its peak", "no memory is drawn as untracked",
         "the report does not state the peak"},
        {"report_peak_too_small", notice, "a memory report whose peak is lower than the sum of what it lists",
         "a line marks the peak; no memory is drawn as untracked",
         "weights, gradients and activations add up to {}, more than the peak of {} that the report states; nothing is left "
         "over as untracked"},
        {"frees_not_recorded", notice, "requested frees whose completion was not recorded (skip_actions)",
         "memory counts as free from the request on",
         "the recording left out completed frees (skip_actions), so memory counts as free from the request on; how long "
         "blocks waited for other streams is unknown"},
        {"host_left_out", notice, "pinned host memory with rows that cannot be read",
         "the other rows are shown, and all of the device memory",
         "rows of pinned host memory could not be read and are left out; the first one: {}"},
        {"freed_before_seen", info, "frees of blocks whose allocation was not recorded", "shown from the beginning on",
         "{}"},
        {"standing_blocks", info, "blocks that no recorded event mentions", "shown from the beginning on to the end",
         "allocations that no recorded event mentions, taken from the segments"},
        {"unplaced_blocks", info, "blocks that no event allocates, in a file that is cut off before the end of its events",
         "hatched, after the last event", "allocations in the segments that no event before the cut allocates"},
        {"no_segment_events", info, "a recording in which no memory is reserved from the driver or returned to it",
         "reserved memory is assumed to be constant",
         "no event of device {} reserves or returns memory, so reserved memory is assumed to be constant"},
        {"alloc_without_stack", info, "allocations without a stack", "shown; the file note says how that happens",
         "allocations without a stack, either because the recording was started with context=None or \"state\", because it "
         "was started with stacks=\"python\" and they come from a thread without Python (such as the backward pass), or "
         "because the program has no Python at all"},
        {"page_view", info, "an HTML page made by another viewer",
         "the snapshot in it is opened; the file note names the page's view", "the page was made for the view '{}'"},
        {"read_from_copy", info, "a database with changes in a journal next to it",
         "a temporary copy that includes the changes is read",
         "the database has changes in a journal next to it, so a temporary copy that includes them was opened; the file and "
         "its folder are not changed"},
        {"only_tables", info, "a database without memory to draw", "its tables can be queried", "{}"},
        {"graph_engine_only", info, "an msprof database that holds nothing from PyTorch",
         "the graph engine's blocks are drawn",
         "the file holds what the runtime recorded and nothing from PyTorch; the blocks are those of the graph engine, with "
         "their real addresses"},
        {"workspace_growth", info, "rows that record the growth of the WORKSPACE pool",
         "shown in that pool's curve of reserved memory",
         "rows of the WORKSPACE allocator that record the growth of its pool; they are shown in its curve of reserved "
         "memory, not as blocks"},
        {"before_profile", info, "memory that was allocated before an Ascend profile started",
         "derived from the totals and hatched", "{}"},
        {"release_without_allocation", info, "an Ascend block of which only the release was recorded",
         "in the table, not in the picture", "{}"},
        {"report_no_source", info, "entries of a report without a stack", "shown under \"(no source)\"",
         "entries of the report have no stack"},
        {"report_pair", info, "two reports of one model", "drawn along the times of the run-time report",
         "drawn along the times of {}, in which {} are found"},
    });
}();

/// The code of an anomaly: a name in k_import_kinds. Another name does not compile.
struct ImportCode {
    consteval ImportCode(const char* name) {
        bool is_known = false;  // the undefined behaviour sanitizer lets no pointer be compared with null at compile time
        for (const ImportKind& each : k_import_kinds) {
            if (each.name != name) continue;
            kind = &each;
            is_known = true;
        }
        if (!is_known) throw "k_import_kinds has no row with this name";
    }
    const ImportKind* kind = nullptr;
};

/// Returns k_import_kinds as a Markdown table.
std::string import_codes_markdown();

/// The place and number of occurrences of an anomaly.
struct ImportPlace {
    /// The key, table or device that the anomaly concerns, if the code has the form "CODE:subject".
    std::optional<std::string_view> subject = {};
    /// Byte offset in the file of the first occurrence, or an event number if the message says so.
    std::optional<std::uint64_t> offset = {};
    std::uint64_t count = 1;
};

/// The text of a value in a message.
struct ImportValue {
    template <std::convertible_to<std::string_view> Text>
    ImportValue(const Text& value) : text(std::string_view(value)) {}
    template <std::integral Number>
    ImportValue(Number value) : text(std::to_string(value)) {}
    std::string text;
};

/// One kind of anomaly and its number of occurrences. Code and message are shortened in the middle if names from the file
/// make them very long.
struct ImportEntry {
    Severity severity = Severity::info;
    std::string code;                           ///< stable, for scripts: "bad_device", "unknown_event_key:colour"
    std::string message;                        ///< message for users
    std::uint64_t count = 1;                    ///< number of occurrences
    std::optional<std::uint64_t> first_offset;  ///< ImportPlace::offset of the first occurrence
};

/// The anomalies of a file that did not prevent it from opening. Shown as a banner in the window, as lines on stderr and as
/// a table in SQL.
class ImportLog {
public:
    /// Adds an anomaly; `values` are the values of its message. Entries with the same code and subject are merged: their
    /// counts are added, and the first offset and message are kept.
    void add(ImportCode code, const ImportPlace& place = {}, std::initializer_list<ImportValue> values = {});
    /// Appends a complete entry, for example one from another log, without merging it.
    void add(ImportEntry entry);
    const std::vector<ImportEntry>& entries() const { return entries_; }

private:
    std::vector<ImportEntry> entries_;
};

}  // namespace snapviewer
