#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/fleet.h"
#include "core/query/database.h"

namespace snapviewer {

/// Writes the summaries of a fleet into a new SQLite database, file by file; docs/fleets.md describes the tables. The
/// database appears at its path only on put_in_place(), complete. Not thread-safe.
class FleetDatabaseWriter {
public:
    static Result<FleetDatabaseWriter> create(const std::string& path);
    FleetDatabaseWriter(FleetDatabaseWriter&&) noexcept;
    FleetDatabaseWriter& operator=(FleetDatabaseWriter&&) = delete;
    ~FleetDatabaseWriter();

    /// Adds the ranks of a file. Call this after Fleet::add(), which makes the names of the runs unique.
    Status add(const FileSummary& file);
    Status put_in_place();

private:
    struct Impl;
    explicit FleetDatabaseWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// True if the header of a file marks it as a fleet database. Reads only the header.
bool is_fleet_database(const std::string& path);

/// Reads all ranks of a fleet database, as one summary. The file is untrusted.
FileSummary read_fleet_database(const std::string& path, const SummaryOptions& options, Progress& progress);

/// Reads the curve of totals that a fleet database stores for one device of a rank, sorted by step. Empty if it stores none.
/// The file is untrusted. Scans all curves of the database.
Result<std::vector<HighestTotal>> read_kept_totals(const std::string& path, const std::string& file, std::int64_t rank,
                                                   std::optional<std::int64_t> device, Progress& progress);

/// A table of a fleet database. Its first columns identify the rank that a row belongs to.
struct FleetTable {
    const char* name;
    std::string_view columns;  ///< column names and types, in the syntax of CREATE TABLE
};

inline constexpr FleetTable k_ranks_table = {
    "ranks",
    "run TEXT, rank INTEGER, host TEXT, device INTEGER, file TEXT, file_bytes INTEGER, events INTEGER, peak_bytes INTEGER, "
    "peak_step INTEGER, peak_time_us INTEGER, reserved_peak_bytes INTEGER, capacity_bytes INTEGER, oom_cause TEXT, "
    "wrapped INTEGER, settings_json TEXT, error TEXT, rank_from TEXT"};
inline constexpr FleetTable k_peak_stacks_table = {
    "peak_stacks", "run TEXT, rank INTEGER, device INTEGER, stack_key TEXT, bytes INTEGER, count INTEGER"};
inline constexpr FleetTable k_step_stacks_table = {
    "step_stacks",
    "run TEXT, rank INTEGER, device INTEGER, training_step INTEGER, stack_key TEXT, allocated_bytes INTEGER, "
    "left_bytes INTEGER"};
inline constexpr FleetTable k_stacks_table = {"stacks", "run TEXT, stack_key TEXT, text TEXT, top_frame TEXT"};
inline constexpr FleetTable k_growth_table = {
    "growth",
    "run TEXT, rank INTEGER, device INTEGER, stack_key TEXT, source TEXT, state TEXT, slope REAL, grown_bytes INTEGER"};
inline constexpr FleetTable k_totals_table = {"totals",
                                              "run TEXT, rank INTEGER, device INTEGER, step INTEGER, time_us INTEGER, "
                                              "allocated_bytes INTEGER, reserved_bytes INTEGER, training_step INTEGER"};
inline constexpr FleetTable k_peak_modules_table = {
    "peak_modules", "run TEXT, rank INTEGER, device INTEGER, module TEXT, bytes INTEGER, count INTEGER"};
inline constexpr std::array k_fleet_tables = {k_ranks_table,  k_peak_stacks_table, k_step_stacks_table, k_stacks_table,
                                              k_growth_table, k_totals_table,      k_peak_modules_table};

/// Parses the column names from FleetTable::columns.
std::vector<std::string> column_names(const FleetTable& table);

/// The cells of a row of `ranks`, one per column.
std::vector<Cell> rank_cells(const RankRow& row);

}  // namespace snapviewer
