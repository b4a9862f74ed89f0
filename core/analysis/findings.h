#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/holders.h"
#include "core/analysis/peak_phase.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace snapviewer {

class DeviceAnalyses;

/// How much a finding matters.
enum class FindingSeverity : std::uint8_t { error, warning, notice, info };
const char* finding_severity_name(FindingSeverity severity);  ///< "warning"

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

/// Memory that lay idle in the caching allocator when most was reserved.
struct CachedIdle {
    std::uint64_t reserved_bytes = 0;    ///< of the default pool
    std::uint64_t kept_bytes = 0;        ///< idle, kept by live blocks
    std::uint64_t given_back_bytes = 0;  ///< idle, returned by torch.cuda.empty_cache()
};

/// The lines of code that hold the peak, and the time of the peak.
struct PeakHolders {
    std::vector<SourceBytes> lines;    ///< those that the sentence names, largest first
    std::uint64_t no_stack_bytes = 0;  ///< of what has no stack that allocated it
    PeakPhase phase;
};

/// One answer worth looking at.
struct DeviceFinding {
    FindingTopic topic = FindingTopic::oom;
    std::string code = {};  ///< "leak", "oom_capacity"
    FindingSeverity severity = FindingSeverity::info;
    std::string sentence = {};
    std::string hint = {};  ///< empty: there is nothing to advise
    std::uint64_t bytes = 0;
    std::optional<std::uint32_t> moment = {};    ///< where to look, as in AddressSpace
    std::vector<AllocationId> allocations = {};  ///< all that the sentence sums up; empty if it sums up none
    std::size_t named_allocations = 0;           ///< how many of these, from the first on, a report lists
    std::string sql = {};                     ///< the table behind the sentence, whose `bytes` add up to these; empty: none
    std::optional<CachedIdle> cached = {};    ///< of the topic cached_idle
    std::optional<PeakHolders> holders = {};  ///< of the topic peak_holders
};

/// Everything worth saying of a device, by severity, then by bytes. Throws a Failure only when stopped. Makes
/// every other analysis.
std::vector<DeviceFinding> find_findings(DeviceAnalyses& device);

// The parts, each of one kind of analysis. They add to `found`.
void add_oom_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_growth_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_reserved_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_peak_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_training_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_kind_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_module_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);
void add_recording_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found);

/// part / whole, from 0 to 1; 0 if `whole` is 0.
double share_of(std::uint64_t part, std::uint64_t whole);

}  // namespace snapviewer
