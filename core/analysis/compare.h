#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/kinds.h"
#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// How allocations of two files are matched.
enum class CompareBy : std::uint8_t {
    source,    ///< the source line of the program that represents the stack
    function,  ///< the functions of their stacks, regardless of lines
    stack,     ///< the lines of their stacks
    python,    ///< the Python lines alone
    kind,      ///< their kinds, see Kinds
    module,    ///< the module they belong to, without the modules within it: see Modules
};

/// The part of each file that is compared.
enum class CompareBasis : std::uint8_t {
    all,
    recorded,  ///< what the trace saw allocated, at the same moment
    alone,     ///< the same, at the first moment at which it was most
};

std::vector<std::string> compare_by_names();     ///< in the order of CompareBy
std::vector<std::string> compare_basis_names();  ///< in the order of CompareBasis
std::optional<CompareBy> compare_by_named(std::string_view name);
std::optional<CompareBasis> compare_basis_named(std::string_view name);

/// The allocations that are live at one moment, in groups.
struct PeakGroups {
    struct Group {
        std::uint64_t bytes = 0;
        std::uint64_t count = 0;
        std::string source;
        StackId stack = StackId::none();  ///< one of those that make the group
    };
    std::uint32_t tick = 0;
    std::map<std::string, Group>
        groups;  ///< by key: "before", "none", a hash in hexadecimal, the source, the kind, or the module
};

inline constexpr std::string_view k_compared_before = "before";  ///< the key of what came before the recording
inline constexpr std::string_view k_compared_no_stack = "none";

/// The keys of what stacks allocate; not for kinds and modules, of which a stack may make several. Keeps its arguments. One
/// thread.
class ComparedNames {
public:
    ComparedNames(const Snapshot& snapshot, const StackLines& lines, CompareBy by);
    std::string name(StackId stack);

private:
    const StackLines& lines_;
    CompareBy by_;
    std::optional<StackKeys> keys_;  ///< of an identity that `lines` does not have
};

/// Groups at the largest total of the device. Throws a Failure only when stopped. O(live + text of its distinct stacks).
PeakGroups group_peak(const Timeline& timeline, const StackLines& lines, CompareBy by, CompareBasis basis);
/// Groups by kind; with CompareBasis::all the totals are those of the report. O(live).
PeakGroups group_peak_by_kind(const Timeline& timeline, const Kinds& kinds, CompareBasis basis);
/// Groups by module. O(live).
PeakGroups group_peak_by_module(const Timeline& timeline, const Modules& modules, CompareBasis basis);
/// The key of an allocation there.
std::string compared_module(const Modules& modules, AllocationId id);

/// Two peaks, stack by stack.
struct PeakComparison {
    struct Row {
        std::string key;
        std::string source;
        std::uint64_t bytes_a = 0;
        std::uint64_t count_a = 0;
        std::uint64_t bytes_b = 0;
        std::uint64_t count_b = 0;
        std::int64_t delta_bytes() const { return static_cast<std::int64_t>(bytes_b - bytes_a); }
    };
    std::vector<Row> only_a;  ///< largest difference first
    std::vector<Row> both;
    std::vector<Row> only_b;
};
PeakComparison compare_peaks(const PeakGroups& a, const PeakGroups& b);

/// Moments of two recordings that belong together.
struct Alignment {
    enum class Method : std::uint8_t { start, step_order, step_number };
    Method method = Method::start;
    std::vector<std::pair<std::uint64_t, std::uint64_t>>
        points;  ///< steps of the axes of A and B, rising; straight in between
    std::vector<std::pair<const TrainingStep*, const TrainingStep*>> steps;  ///< of the two arguments, which must outlive it
};
const char* alignment_method_name(Alignment::Method method);  ///< "start", "step order", "step number"
/// Matches steps with equal numbers of the profiler, otherwise complete steps in their order, otherwise only the beginnings.
Alignment align_steps(const Steps& a, const Steps& b);

/// A setting that two files do not have alike; values as JSON, empty where a file lacks it.
struct SettingDifference {
    std::string key;
    std::string a;
    std::string b;
};
std::vector<SettingDifference> compare_settings(const Snapshot& a, const Snapshot& b);

}  // namespace snapviewer
