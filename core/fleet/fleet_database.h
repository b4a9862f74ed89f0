#pragma once

#include <memory>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fleet/fleet.h"

namespace snapviewer {

/// Writes what is kept of a fleet into a new SQLite database, file by file; docs/fleets.md describes its tables. It appears
/// whole or not at all. One thread at a time.
class FleetDatabaseWriter {
public:
    static Result<FleetDatabaseWriter> create(const std::string& path);
    FleetDatabaseWriter(FleetDatabaseWriter&&) noexcept;
    FleetDatabaseWriter& operator=(FleetDatabaseWriter&&) = delete;
    ~FleetDatabaseWriter();

    /// As Fleet::add() left it.
    Status add(const FileSummary& file);
    Status put_in_place();

private:
    struct Impl;
    explicit FleetDatabaseWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Whether a file says by its first bytes that a fleet was written to it. Reads no more than these.
bool is_fleet_database(const std::string& path);

/// All ranks of such a database, as if they were of one file. Anybody may have written it.
FileSummary read_fleet_database(const std::string& path, const SummaryOptions& options, Progress& progress);

/// The curve that such a database keeps of one device of a rank, by step; empty where it keeps none. Anybody may have
/// written it. Goes through all curves that it has.
Result<std::vector<HighestTotal>> read_kept_totals(const std::string& path, const std::string& file, std::int64_t rank,
                                                   std::optional<std::int64_t> device, Progress& progress);

}  // namespace snapviewer
