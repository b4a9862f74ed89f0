#include "core/load/profilers/other_database.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace snapviewer {
namespace {

/// A known kind of database that contains nothing to draw.
struct KnownOther {
    /// Both tables must exist, unless the second name is empty. "Cluster*" matches any table with this prefix.
    std::array<std::string_view, 2> tables;
    std::string_view what;
};

constexpr std::string_view k_no_memory =
    "is an Ascend profile (msprof) recorded without memory: it holds tasks and times, but none of the tables NPU_OP_MEM, "
    "NPU_MEM, NPU_MODULE_MEM";
constexpr std::string_view k_analysis =
    "is an Ascend analysis database (analysis.db), which holds step and communication times but no memory";
constexpr std::string_view k_cluster_analysis =
    "is an Ascend cluster analysis (cluster_analysis.db), which holds the step and communication times of its ranks but no "
    "memory";

/// The first match in this list is used.
constexpr std::array k_known_others = {
    KnownOther{{"iteration_entries"},
               "is a report in the format that Skyline used before its first release, which cannot be drawn"},
    KnownOther{{"allocs"},
               "holds allocations without their positions, as one file of a SnapViewer trace does; open its folder instead"},
    KnownOther{{"ENERGY"}, "is DeepView's energy record, which holds neither memory nor run times"},
    KnownOther{{"NPU_OP_MEM"}, "is an Ascend profile that lacks its table of names, STRING_IDS"},
    KnownOther{{"NPU_MEM"}, "is an Ascend profile that lacks its table of names, STRING_IDS"},
    KnownOther{{"STRING_IDS", "TASK"}, k_no_memory},
    KnownOther{{"STRING_IDS", "CANN_API"}, k_no_memory},
    KnownOther{{"STRING_IDS", "NPU_INFO"}, k_no_memory},
    KnownOther{{"SESSION_TIME_INFO"}, k_no_memory},
    KnownOther{{"StepTraceTime"}, k_analysis},
    KnownOther{{"CommAnalyzer*"}, k_analysis},
    KnownOther{{"ClusterBaseInfo"}, k_cluster_analysis},
    KnownOther{{"ClusterStepTraceTime"}, k_cluster_analysis},
    KnownOther{{"ClusterComm*"}, k_cluster_analysis},
    KnownOther{{"CommunicationGroupMapping"}, k_cluster_analysis},
    KnownOther{{"cluster_base_info"}, k_cluster_analysis},
    KnownOther{{"CUPTI_ACTIVITY_KIND_*"}, "is a profile of NVIDIA's Nsight Systems or nvprof, whose memory cannot be drawn"},
    KnownOther{{"rocpd_*"}, "is a profile of AMD's ROCm profiler, whose memory cannot be drawn"},
};

bool has_table_like(const SqliteFile& file, std::string_view pattern) {
    if (!pattern.ends_with('*')) return file.find_table(pattern).has_value();
    pattern.remove_suffix(1);
    return std::ranges::any_of(file.tables(), [&](const std::string& name) { return name.starts_with(pattern); });
}

bool fits(const SqliteFile& file, const KnownOther& other) {
    return std::ranges::all_of(other.tables,
                               [&](std::string_view table) { return table.empty() || has_table_like(file, table); });
}

}  // namespace

std::string describe_other(const SqliteFile& file) {
    if (file.tables().empty()) return "is an SQLite database without tables";
    const auto* known = std::ranges::find_if(k_known_others, [&](const KnownOther& other) { return fits(file, other); });
    const std::string_view what =
        known == k_known_others.end() ? "is an SQLite database that does not come from a known profiler" : known->what;
    return std::string(what) + "; its tables can be queried, but there is nothing to draw";
}

void read_other_database(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile&) {
    snapshot.kind = FileKind::sqlite;
    snapshot.log.add(ImportCode::only_tables, describe_other(*file));
}

}  // namespace snapviewer
