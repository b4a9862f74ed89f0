#include "core/load/profilers/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/profilers/tables.h"

namespace snapviewer::profilers {
namespace {

constexpr std::int64_t k_weight_type = 1;
constexpr std::int64_t k_activation_type = 2;

/// Calls `take` for each row of a table, with `columns` in the given order. Missing columns are NULL and are logged. Returns
/// the error that kept the table from being read to its end, if any.
std::optional<Error> read_table(sqlite::SqliteFile& file, std::string_view name,
                                std::initializer_list<std::string_view> columns, ImportLog& log, const auto& take) {
    const auto table = file.find_table(name);
    if (!table) {
        log.add("report_table_missing", {}, {name});
        return std::nullopt;
    }
    std::string wanted;
    for (const std::string_view column : columns) {
        const auto found = file.find_column(*table, {column});
        if (!found) {
            log.add("report_column_missing", {}, {name, column});
        }
        wanted += (wanted.empty() ? "" : ", ") + (found ? sqlite::sql_name(*found) : "NULL");
    }
    return each_row(file, name, fmt::format("SELECT {} FROM {}", wanted, sqlite::sql_name(*table)), log, take);
}

struct NumberedFrame {
    std::int64_t ordering;
    SourceLine place;
};
using FramesByKey = std::unordered_map<std::int64_t, std::vector<NumberedFrame>, KeyedHash>;

void read_frames(sqlite::SqliteFile& file, std::string_view key_column, FramesByKey& frames, ImportLog& log) {
    read_table(
        file, "stack_frames", {key_column, "ordering", "file_path", "line_number"}, log, [&](const sqlite::SqliteRows& row) {
            const std::int64_t line = std::clamp<std::int64_t>(row.integer(3), 0, 0xFFFFFFFF);
            frames[row.integer(0)].push_back({row.integer(1), {one_line(row.text(2)), static_cast<std::uint32_t>(line)}});
        });
    for (auto& [key, stack] : frames) std::ranges::stable_sort(stack, {}, &NumberedFrame::ordering);
}

/// The stack with the given key, outermost frame first. Of stacks that are too deep, only the innermost frames are kept.
std::vector<SourceLine> frames_of(const FramesByKey& frames, std::optional<std::int64_t> key, ImportLog& log) {
    const auto found = key ? frames.find(*key) : frames.end();
    if (found == frames.end()) {
        log.add("report_no_source");
        return {{k_no_source, 0}};
    }
    const std::size_t count = std::min(found->second.size(), limits::k_report_frames);
    if (count < found->second.size()) {
        log.add("report_stack_too_deep", {}, {limits::k_report_frames});
    }
    std::vector<SourceLine> stack;
    for (std::size_t i = count; i-- > 0;) stack.push_back(found->second[i].place);
    return stack;
}

std::string name_of(const sqlite::SqliteRows& row, int column) {
    const std::string_view name = row.text(column);
    return name.empty() ? "(unnamed)" : one_line(name);
}

/// Maps (entry_type, entry_id) to correlation_id.
using Correlations = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

void read_correlations(sqlite::SqliteFile& file, Correlations& correlations, ImportLog& log) {
    std::uint64_t of_other_types = 0;
    read_table(file, "stack_correlation", {"correlation_id", "entry_id", "entry_type"}, log,
               [&](const sqlite::SqliteRows& row) {
                   const std::int64_t type = row.integer(2);
                   of_other_types += type != k_weight_type && type != k_activation_type ? 1 : 0;
                   correlations.emplace(std::pair(type, row.integer(1)), row.integer(0));
               });
    if (of_other_types > 0) {
        log.add("report_entry_type", {.count = of_other_types});
    }
}

/// Reads a duration. Replaces negative and non-finite values, which a file may contain, with 0 and logs them.
double duration_ms(const sqlite::SqliteRows& row, int column, ImportLog& log) {
    const double value = row.type(column) == sqlite::ValueType::null ? 0 : row.real(column);
    if (std::isfinite(value) && value >= 0) return value;
    log.add("report_odd_time");
    return 0;
}

void read_peak(sqlite::SqliteFile& file, std::optional<std::int64_t>& peak_bytes, ImportLog& log) {
    read_table(file, "misc_sizes", {"key", "size_bytes"}, log, [&](const sqlite::SqliteRows& row) {
        if (row.text(0) == "peak_usage_bytes" && row.type(1) != sqlite::ValueType::null) peak_bytes = row.integer(1);
    });
    if (!peak_bytes) log.add("report_no_peak");
}

}  // namespace

MemoryReportRows read_memory_report_rows(sqlite::SqliteFile& file, ImportLog& log) {
    FramesByKey frames;
    Correlations correlations;
    MemoryReportRows rows;
    read_frames(file, "correlation_id", frames, log);
    read_correlations(file, correlations, log);
    read_peak(file, rows.peak_bytes, log);
    const auto stack_of = [&](std::int64_t type, std::int64_t id) {
        const auto found = correlations.find({type, id});
        return frames_of(frames, found == correlations.end() ? std::nullopt : std::optional(found->second), log);
    };
    const auto weights_damage = read_table(
        file, "weight_entries", {"id", "name", "size_bytes", "grad_size_bytes"}, log, [&](const sqlite::SqliteRows& row) {
            rows.weights.push_back(
                {row.integer(0), name_of(row, 1), row.integer(2), row.integer(3), stack_of(k_weight_type, row.integer(0))});
        });
    const auto activations_damage = read_table(
        file, "activation_entries", {"id", "operation_name", "size_bytes"}, log, [&](const sqlite::SqliteRows& row) {
            rows.activations.push_back(
                {row.integer(0), name_of(row, 1), row.integer(2), stack_of(k_activation_type, row.integer(0))});
        });
    check_stop();
    if (weights_damage && activations_damage && rows.weights.empty() && rows.activations.empty())
        throw Failure{*weights_damage};
    std::ranges::stable_sort(rows.weights, {}, &WeightRow::id);
    // The report walks the graph from the loss backwards, so the first operation of the forward pass has the highest id.
    std::ranges::stable_sort(rows.activations, std::greater<>(), &ActivationRow::id);
    return rows;
}

std::vector<OperationRow> read_run_time_report_rows(sqlite::SqliteFile& file, ImportLog& log) {
    FramesByKey frames;
    read_frames(file, "entry_id", frames, log);
    std::vector<OperationRow> operations;
    const auto damage = read_table(file, "run_time_entries", {"id", "operation_name", "forward_ms", "backward_ms"}, log,
                                   [&](const sqlite::SqliteRows& row) {
                                       OperationRow operation;
                                       operation.id = row.integer(0);
                                       operation.operation = name_of(row, 1);
                                       operation.forward_ms = duration_ms(row, 2, log);
                                       if (row.type(3) != sqlite::ValueType::null)
                                           operation.backward_ms = duration_ms(row, 3, log);
                                       operation.frames = frames_of(frames, operation.id, log);
                                       operations.push_back(std::move(operation));
                                   });
    if (damage && operations.empty()) throw Failure{*damage};
    std::ranges::stable_sort(operations, {}, &OperationRow::id);
    return operations;
}

}  // namespace snapviewer::profilers
