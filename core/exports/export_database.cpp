#include "core/exports/export_database.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "core/base/budget.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/exports/database_file.h"
#include "core/load/profilers/readers.h"

namespace snapviewer {
namespace {

std::string create_statement(const TableDoc& table) {
    std::string columns;
    for (const ColumnDoc& column : table.columns) {
        // An id after the device column counts within the device, so it is no key.
        const bool is_key = columns.empty() && column.name == "id";
        if (!columns.empty()) columns += ", ";
        columns += fmt::format("\"{}\" {}{}", column.name, column.type, is_key ? " PRIMARY KEY" : "");
    }
    return fmt::format("CREATE TABLE {} ({})", table.name, columns);
}

std::string create_allocs_view(const Snapshot& snapshot, std::size_t device_index) {
    const std::int64_t first = first_allocation_row(snapshot, device_index);
    const std::int32_t device = snapshot.devices.empty() ? 0 : snapshot.devices[device_index].device;
    return fmt::format(
        "CREATE VIEW allocs AS SELECT a.id - {} AS idx, a.size AS size, a.alloc_step AS start_time, "
        "coalesce(a.free_step, d.steps) AS end_time, s.text AS callstack "
        "FROM allocations a JOIN devices d ON d.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id WHERE a.device = "
        "{}",
        first, device);
}

using Note = std::array<Cell, 3>;  // device, key and value of a note

/// Returns notes that the tables lack and that a reader needs to draw the same picture.
std::vector<Note> notes_of(const Snapshot& snapshot) {
    std::vector<Note> notes = {{Cell(), export_notes::k_kind, file_kind_name(snapshot.kind)}};
    for (const DeviceTrace& trace : snapshot.devices) {
        const auto add = [&](bool is_worth_it, const char* key, std::string value) {
            if (is_worth_it) notes.push_back({std::int64_t{trace.device}, key, std::move(value)});
        };
        const Presentation& shown = trace.presentation;
        add(!shown.step_axis_title.empty(), export_notes::k_step_axis, shown.step_axis_title);
        add(!shown.time_axis_title.empty(), export_notes::k_time_axis, shown.time_axis_title);
        add(!shown.has_wall_clock, export_notes::k_no_wall_clock, "");
        add(shown.prefers_time, export_notes::k_prefers_time, "");
        add(trace.start_us != k_no_time, export_notes::k_start_us, std::to_string(trace.start_us));
        add(trace.end_us != k_no_time, export_notes::k_end_us, std::to_string(trace.end_us));
    }
    return notes;
}

void write_notes(const DatabaseFile& file, const std::vector<Note>& notes) {
    TableFiller filler(file, export_notes::k_table, Note().size());
    for (const Note& note : notes) filler.row(note);
}

void copy_table(Database& database, const DatabaseFile& file, const TableDoc& table) {
    TableCopier copier(file, table.name);
    constexpr double k_no_limit = 1e9;
    throw_if_error(database.run_each("SELECT * FROM " + table.name, k_no_limit, Context::current().progress, copier));
    copier.finish();
}

void write_tables(Database& database, const std::string& path, const Snapshot& snapshot, const std::string& allocs_view) {
    DatabaseFile file;
    file.begin(path);
    file.execute(fmt::format("CREATE TABLE {} (device INTEGER, key TEXT, value TEXT)", export_notes::k_table));
    write_notes(file, notes_of(snapshot));
    for (const TableDoc& table : database.schema()) {
        if (table.name == "allocs" || table.is_file_table) continue;
        file.execute(create_statement(table));
        copy_table(database, file, table);
    }
    file.execute(allocs_view);
    file.commit();
}

/// Formats a stack as SnapViewer's converter does.
std::string numbered_stack(const Snapshot& snapshot, StackId stack) {
    std::string text;
    std::size_t number = 0;
    const std::span<const FrameId> frames = snapshot.stacks.stack(stack);
    for (const FrameId id : frames) {
        if (number == limits::k_max_path_frames || text.size() > limits::k_max_stack_bytes) {
            text += "\n" + more_frames(frames.size() - number);
            break;
        }
        const Frame& frame = snapshot.stacks.frame(id);
        const auto cut = [&](StringId name) { return shortened(snapshot.strings.view(name), limits::k_max_frame_bytes); };
        text += fmt::format("{}({}) {}:{}:{}", number == 0 ? "" : "\n", number, cut(frame.file), frame.written_line(),
                            cut(frame.function));
        ++number;
    }
    return valid_utf8(text);
}

}  // namespace

Status export_database(Database& database, const Snapshot& snapshot, std::size_t device_index, const std::string& path,
                       Progress& progress) {
    return caught(&progress, [&] {
        OutputFile file = value_or_throw(OutputFile::create(path));
        write_tables(database, file.temporary_path(), snapshot, create_allocs_view(snapshot, device_index));
        throw_if_error(file.commit());
    });
}

void write_snapviewer_elements(const Timeline& timeline, const std::string& path) {
    DatabaseFile file;
    file.begin(path);
    file.execute(
        "CREATE TABLE allocs (idx INTEGER PRIMARY KEY, size INTEGER, start_time INTEGER, end_time INTEGER, callstack TEXT)");
    TableCopier copier(file, "allocs");
    const std::array<std::string, 5> columns = {"idx", "size", "start_time", "end_time", "callstack"};
    copier.begin(columns);
    const AllocationColumns& allocations = timeline.trace().allocations;
    StackId last = StackId::none();  // neighbouring allocations mostly have the same stack
    std::string stack_text;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const AllocationId id{i};
        if (allocations.stack[i] != last) stack_text = numbered_stack(timeline.snapshot(), allocations.stack[i]);
        last = allocations.stack[i];
        const std::array<Cell, 5> row = {std::int64_t{i}, static_cast<std::int64_t>(allocations.size_bytes[i]),
                                         static_cast<std::int64_t>(timeline.start_step(id)),
                                         static_cast<std::int64_t>(timeline.end_step(id)), stack_text};
        copier.row(row);
    }
    copier.finish();
    file.commit();
}

}  // namespace snapviewer
