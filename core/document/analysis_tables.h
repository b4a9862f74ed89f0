#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/base/context.h"
#include "core/query/database.h"

namespace snapviewer {

/// SQL tables and columns with the results of analyses. Each analysis runs when a query first reads its table. The tables
/// share ownership of `analyses`, which keeps the timelines alive.
AddedTables analysis_tables(std::shared_ptr<const Analyses> analyses);

// Helpers for the tables of analyses. A table is a list of columns, each with its description and a function that reads its
// cell from a row.

using AnalysesPointer = std::shared_ptr<const Analyses>;
using Arguments = std::span<const Cell>;
using FunctionRowsPointer = std::shared_ptr<const FunctionRows>;

inline ColumnDoc integer_doc(std::string name, std::string text) { return {std::move(name), "INTEGER", std::move(text)}; }
inline ColumnDoc real_doc(std::string name, std::string text) { return {std::move(name), "REAL", std::move(text)}; }
inline ColumnDoc text_doc(std::string name, std::string text) { return {std::move(name), "TEXT", std::move(text)}; }
inline ColumnDoc device_doc() { return integer_doc("device", "device number as in the file"); }

inline Cell device_cell(const DeviceAnalyses& device) { return std::int64_t{device.trace().device}; }

/// A column of a table whose rows are stored as `Row`:
///
///     {integer_doc("id", "counts from 0 within the device"), [](const StepRow& row) -> Cell { return size_cell(row.number);
///     }}
template <typename Row>
struct RowColumn {
    ColumnDoc doc;
    Cell (*read)(const Row&);
};
template <typename Row>
using RowColumns = std::vector<RowColumn<Row>>;

template <typename Row>
std::vector<ColumnDoc> docs_of(const RowColumns<Row>& columns) {
    std::vector<ColumnDoc> docs;
    for (const RowColumn<Row>& column : columns) docs.push_back(column.doc);
    return docs;
}

/// Returns FunctionRows over `rows`. `columns` is not copied and must outlive them.
template <typename Row>
FunctionRowsPointer list_rows(std::vector<Row> rows, const RowColumns<Row>& columns) {
    return list_rows(std::move(rows), [&columns](const Row& row, std::size_t column) { return columns[column].read(row); });
}

/// Returns the rows of all devices, one device after another. `add` appends the rows of one device.
template <typename Row, typename Add>
FunctionRowsPointer rows_of_devices(const Analyses& analyses, Add add, const RowColumns<Row>& columns) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < analyses.device_count(); ++i) add(analyses.device(i), rows);
    return list_rows(std::move(rows), columns);
}

/// Tables of training steps, of growth from step to step, of the kinds of allocations, and of call paths. They are part of
/// analysis_tables() and share ownership of `analyses`.
std::vector<TableFunction> step_tables(const std::shared_ptr<const Analyses>& analyses);

/// Table of modules and the memory that belongs to each.
TableFunction modules_table(const std::shared_ptr<const Analyses>& analyses);
/// Column with the module of each allocation.
AddedColumn module_column(const std::shared_ptr<const Analyses>& analyses);

/// Table of each memory pool's memory at the peak and at the end, and of the code that created the pool. Part of
/// analysis_tables(), as are all tables in this file.
TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses);

/// Table of all memory of a card, including memory that no snapshot records.
TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses);

/// Table of contradictions between events and segments.
TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
