#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/kinds/kinds.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/analysis/steps/steps.h"

namespace snapviewer::findings {

class DeviceAnalyses;

/// The importance of a finding.
enum class FindingSeverity : std::uint8_t { error, warning, notice, info };
const char* finding_severity_name(FindingSeverity severity);  ///< Returns the name in JSON: "warning"

/// The source lines that hold the most memory at the peak, and the time of the peak.
struct PeakHolders {
    std::vector<stacks::SourceBytes> lines = {};  ///< Lines that the finding's sentence names, largest first
    std::uint64_t no_stack_bytes = 0;             ///< Memory allocated without a recorded stack
    steps::PeakPhase phase = {};
};

/// A fact about a device's memory that is worth looking at.
struct DeviceFinding {
    /// Name in JSON: "leak". For an out-of-memory event it is "oom_" and the cause, for example "oom_capacity".
    std::string code = {};
    FindingSeverity severity = FindingSeverity::info;
    std::string sentence = {};
    std::string hint = {};  ///< Advice; empty if there is none
    std::uint64_t bytes = 0;
    std::optional<std::uint32_t> moment = {};  ///< The moment to look at, as in AddressSpace
    /// All allocations that the sentence sums up, beginning with those that a report lists; empty if it sums up none.
    std::vector<AllocationId> allocations = {};
    std::size_t named_allocations = 0;  ///< Maximum number of allocations that a report lists, from the first on
    /// Query for the table behind the sentence. Its column `bytes` adds up to the field `bytes`. Empty if there is no such
    /// table.
    std::string sql = {};
    std::optional<PeakHolders> holders = {};  ///< Set only for the code "peak_holders"
};

/// Returns all findings about a device, sorted by severity, then by bytes, largest first. Throws a Failure only when
/// stopped. Runs every other analysis of the device.
std::vector<DeviceFinding> find_findings(DeviceAnalyses& device);

// Parts of find_findings(), each about one kind of analysis. Each function appends to `found`.
void add_oom_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_growth_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_reserved_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_peak_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_training_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_kind_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_module_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_recording_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);

/// Returns part / whole, or 0 if `whole` is 0.
double share_of(std::uint64_t part, std::uint64_t whole);

/// Lists kinds with their bytes, largest first: "parameters 3.0 GiB, gradients 1.5 GiB". Leaves out kinds for which
/// `is_listed(kind, bytes)` is false.
std::string kinds_words(const kinds::KindTotals& totals,
                        const std::function<bool(kinds::AllocationKind, std::uint64_t)>& is_listed);

/// Sorts allocations of a device, largest first.
void sort_by_size(const DeviceAnalyses& device, std::vector<AllocationId>& allocations);

/// Returns the SQL condition that selects the rows of a device, such as "device = 0".
std::string on_device(const DeviceAnalyses& device);

/// Builds a readable SQL query for one amount, with the columns `bytes` and `size` (formatted text). `amount` is an SQL
/// expression, `from` a table or a query in parentheses. Only rows that meet all `conditions` count. `end` is appended to
/// the query.
std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end = "");

/// Builds a readable SQL query for a table of amounts, largest first. The table has one row for each value of `group`, an
/// SQL expression with its alias, and the columns `bytes`, `size` and `count` (number of rows of `from`). `amount` is an SQL
/// expression, `from` a table or a query in parentheses. Precondition: `conditions` is not empty.
std::string amounts_query(std::string_view group, std::string_view amount, std::string_view from,
                          const std::vector<std::string>& conditions);

}  // namespace snapviewer::findings
