#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/import_log.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/icicle_rows.h"

/// The rows of Skyline's and DeepView's reports, before anything is made of them. Every table and column may be missing;
/// what is odd goes to the log. Names have no control characters in them.
namespace snapviewer {

/// Where an entry's frames are not in the file.
inline constexpr const char* k_no_source = "(no source)";

/// A parameter of the model.
struct WeightRow {
    std::int64_t id = 0;
    std::string name;  ///< the local one: "weight", "bias"
    std::int64_t size_bytes = 0;
    std::int64_t gradient_bytes = 0;
    std::vector<SourceLine> frames;  ///< outermost first, never empty
};

/// What an operation keeps for the backward pass.
struct ActivationRow {
    std::int64_t id = 0;
    std::string operation;
    std::int64_t size_bytes = 0;
    std::vector<SourceLine> frames;
};

/// A memory report, its entries in the order in which they came to be.
struct MemoryReportRows {
    std::vector<WeightRow> weights;          ///< in order of construction
    std::vector<ActivationRow> activations;  ///< in forward order
    std::optional<std::int64_t> peak_bytes;
};

/// What an operation took, on its own.
struct OperationRow {
    std::int64_t id = 0;
    std::string operation;
    double forward_ms = 0;              ///< never negative
    std::optional<double> backward_ms;  ///< never negative; none without a backward pass
    std::vector<SourceLine> frames;
};

/// Throws Failure when stopped; a table that is damaged gives the rows before the damage.
MemoryReportRows read_memory_report_rows(SqliteFile& file, ImportLog& log);
/// In forward order. Likewise.
std::vector<OperationRow> read_run_time_report_rows(SqliteFile& file, ImportLog& log);

}  // namespace snapviewer
