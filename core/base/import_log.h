#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Severity of an entry of the import log, from "good to know" to "part of the file is not shown".
enum class Severity : std::uint8_t { info, notice, data_loss };

const char* severity_text(Severity severity);   ///< name in JSON and SQL: "info", "notice", "data_loss"
const char* severity_words(Severity severity);  ///< name for users: "info", "notice", "data loss"

/// Anomalies of a file that do not prevent it from opening. import_kinds() has a row for each.
enum class ImportCode : std::uint8_t {
    cut_short,
    damaged_packing,
    file_cut_short,
    table_cut,
    missing_shards,
    elements_cut_short,
    elements_out_of_step,
    allocation_without_element,
    ring_buffer_wrapped,
    alloc_on_open_address,
    total_above_capacity,
    bad_device,
    negative_size,
    report_stack_too_deep,
    impossible_size,
    stray_times,
    clock_set_back,
    impossible_time,
    journal_left_out,
    timeline_uneven,
    views_left_out,
    elements_put_right,
    reserved_at_end,
    device_without_segments,
    duplicate_key,
    not_a_number,
    unknown_action,
    unknown_root_key,
    recorder_facts_unreadable,
    unknown_event_key,
    unknown_frame_key,
    unknown_segment_key,
    unknown_block_key,
    unknown_keys,
    timeline_unordered,
    timeline_below_zero,
    timeline_category,
    timeline_action,
    other_snapshots,
    unusable_members,
    totals_mismatch,
    no_blocks,
    released_before_allocated,
    rows_not_drawn,
    size_impossible,
    times_far_off,
    duplicate_rows,
    component_unknown,
    range_without_length,
    too_many_ports,
    report_empty,
    report_table_missing,
    report_column_missing,
    snapshot_table_missing,
    snapshot_column_missing,
    block_outside_segments,
    export_is_less,
    report_entry_type,
    report_odd_time,
    report_odd_size,
    report_no_peak,
    report_peak_too_small,
    frees_not_recorded,
    host_left_out,
    freed_before_seen,
    standing_blocks,
    unplaced_blocks,
    no_segment_events,
    alloc_without_stack,
    page_view,
    read_from_copy,
    only_tables,
    graph_engine_only,
    workspace_growth,
    before_profile,
    release_without_allocation,
    report_no_source,
    report_pair,
};

/// Description of an ImportCode, for the log, the documentation and the tests.
struct ImportKind {
    ImportCode code;
    std::string_view name;  ///< stable name for scripts: "alloc_on_open_address"
    Severity severity;
    std::string_view what_is_wrong;  ///< the anomaly: "an allocation at an address that is still in use"
    std::string_view what_happens;   ///< how it is handled: "both are shown, the older one up to the end"
};

/// One row for each ImportCode, in the order of the enumeration. docs/formats.md lists them.
std::span<const ImportKind> import_kinds();
const ImportKind& import_kind(ImportCode code);

/// Returns import_kinds() as a Markdown table.
std::string import_codes_markdown();

/// One kind of anomaly and its number of occurrences. Code and message are shortened in the middle if names from the file
/// make them very long.
struct ImportEntry {
    Severity severity = Severity::info;
    std::string code;         ///< stable, for scripts: "bad_device", "unknown_event_key:colour"
    std::string message;      ///< message for users
    std::uint64_t count = 1;  ///< number of occurrences
    /// Byte offset in the file of the first occurrence, or an event number if the message says so.
    std::optional<std::uint64_t> first_offset;
};

/// The anomalies of a file that did not prevent it from opening. Shown as a banner in the window, as lines on stderr and as
/// a table in SQL.
class ImportLog {
public:
    /// Adds an anomaly. Entries with the same code are merged: their counts are added, and the first offset and message are
    /// kept.
    void add(ImportCode code, std::string_view message, std::optional<std::uint64_t> offset = std::nullopt,
             std::uint64_t count = 1);
    /// Adds an anomaly that concerns one key, table or device. Each `subject` gets an entry of its own, with the code
    /// "CODE:subject".
    void add_about(ImportCode code, std::string_view subject, std::string_view message,
                   std::optional<std::uint64_t> offset = std::nullopt, std::uint64_t count = 1);
    /// Appends a complete entry, for example one from another log, without merging it.
    void add(ImportEntry entry);
    const std::vector<ImportEntry>& entries() const { return entries_; }

private:
    void add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                   std::uint64_t count);

    std::vector<ImportEntry> entries_;
};

}  // namespace snapviewer
