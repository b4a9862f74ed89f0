#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/import_log.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/profile_data.h"

/// The unprocessed rows of Skyline's and DeepView's reports. Any table or column may be missing; irregularities are logged.
/// Control characters are removed from names.
namespace snapviewer {

/// Stands for the stack of an entry whose frames are not in the file.
inline constexpr const char* k_no_source = "(no source)";

/// A parameter of the model.
struct WeightRow {
    std::int64_t id = 0;
    std::string name;  ///< local name, such as "weight" or "bias"
    std::int64_t size_bytes = 0;
    std::int64_t gradient_bytes = 0;
    std::vector<SourceLine> frames;  ///< stack frames, outermost first; never empty
};

/// An operation's result that is kept for the backward pass.
struct ActivationRow {
    std::int64_t id = 0;
    std::string operation;
    std::int64_t size_bytes = 0;
    std::vector<SourceLine> frames;
};

/// The rows of a memory report, in the order in which the entries were created.
struct MemoryReportRows {
    std::vector<WeightRow> weights;          ///< weights in the order of construction
    std::vector<ActivationRow> activations;  ///< activations in forward order
    std::optional<std::int64_t> peak_bytes;
};

/// The measured times of one operation, run on its own.
struct OperationRow {
    std::int64_t id = 0;
    std::string operation;
    double forward_ms = 0;  ///< duration of the forward pass; never negative
    /// Duration of the backward pass; never negative; nullopt if the operation has none.
    std::optional<double> backward_ms;
    std::vector<SourceLine> frames;
};

/// Throws Failure if stopped, or if neither table of entries can be read at all. From a damaged table, returns the rows
/// before the damage.
MemoryReportRows read_memory_report_rows(SqliteFile& file, ImportLog& log);
/// Returns the operations in forward order. Throws Failure if stopped, or if the table cannot be read at all. From a damaged
/// table, returns the rows before the damage.
std::vector<OperationRow> read_run_time_report_rows(SqliteFile& file, ImportLog& log);

}  // namespace snapviewer
