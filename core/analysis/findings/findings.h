#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/stacks/stack_groups.h"
#include "core/analysis/steps/steps.h"
#include "core/base/number_text.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

class DeviceAnalyses;

/// The importance of a finding.
enum class FindingSeverity : std::uint8_t { error, warning, notice, info };
const char* finding_severity_name(FindingSeverity severity);  ///< Returns the name in JSON: "warning"

/// The topics of findings.
enum class FindingTopic : std::uint8_t {
    oom,
    near_capacity,
    leak,
    possible_leak,
    module_leak,
    module_growth,
    cached_idle,
    fragmentation,
    pinned_segments,
    private_pool_idle,
    pending_frees,
    peak_holders,
    spike,
    before_recording,
    rounding,
    late_zero_grad,
    first_step_state,
    previous_graph,
    kinds,
    largest_module,
    churn,
    wrapped,
    contradictions,
    no_stacks,
};

/// Idle memory in the caching allocator at the moment with the most reserved memory.
struct CachedIdle {
    std::uint64_t reserved_bytes = 0;  ///< Reserved memory of the default pool
    std::uint64_t kept_bytes = 0;      ///< Idle memory that torch.cuda.empty_cache() does not return, because of live blocks
    std::uint64_t given_back_bytes = 0;  ///< Idle memory that torch.cuda.empty_cache() returns
};

/// The source lines that hold the most memory at the peak, and the time of the peak.
struct PeakHolders {
    std::vector<SourceBytes> lines;    ///< Lines that the finding's sentence names, largest first
    std::uint64_t no_stack_bytes = 0;  ///< Memory allocated without a recorded stack
    PeakPhase phase;
};

/// A fact about a device's memory that is worth looking at.
struct DeviceFinding {
    FindingTopic topic = FindingTopic::oom;
    std::string code = {};  ///< Name in JSON: "leak", "oom_capacity"
    FindingSeverity severity = FindingSeverity::info;
    std::string sentence = {};
    std::string hint = {};  ///< Advice; empty if there is none
    std::uint64_t bytes = 0;
    std::optional<std::uint32_t> moment = {};  ///< The moment to look at, as in AddressSpace
    /// All allocations that the sentence sums up, beginning with those that a report lists; empty if it sums up none.
    std::vector<AllocationId> allocations = {};
    std::size_t named_allocations = 0;  ///< Number of allocations that a report lists, from the first on
    /// Query for the table behind the sentence. Its column `bytes` adds up to the field `bytes`. Empty if there is no such
    /// table.
    std::string sql = {};
    std::optional<CachedIdle> cached = {};    ///< Set only for the topic `cached_idle`
    std::optional<PeakHolders> holders = {};  ///< Set only for the topic `peak_holders`
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

}  // namespace snapviewer
