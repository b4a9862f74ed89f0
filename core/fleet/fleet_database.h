#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/fleet/fleet.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// Writes the summaries of a fleet into a new SQLite database, file by file; docs/fleets.md describes the tables. The
/// database appears at its path only on commit(), complete. Not thread-safe.
class FleetDatabaseWriter {
public:
    static Result<FleetDatabaseWriter> create(const std::string& path);
    FleetDatabaseWriter(FleetDatabaseWriter&&) noexcept;
    FleetDatabaseWriter& operator=(FleetDatabaseWriter&&) = delete;
    ~FleetDatabaseWriter();

    /// Adds the ranks of a file. Call this after Fleet::add(), which makes the names of the runs unique.
    Status add(const FileSummary& file);
    Status commit();

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

/// The fields of the table `ranks`.
extern const Fields<RankRow> k_rank_fields;

/// Descriptions of all tables of a fleet database.
std::span<const TableDoc> fleet_tables();

}  // namespace snapviewer
