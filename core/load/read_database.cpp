#include "core/load/read_database.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/load/bytes/sources.h"
#include "core/trace/snapshot.h"

namespace snapviewer::load {
namespace {

void log_condition(const sqlite::SqliteFile& file, ImportLog& log) {
    if (file.is_copy()) log.add("read_from_copy");
    if (!file.journal_left_out().empty()) log.add("journal_left_out", {}, {file.journal_left_out()});
    if (file.views_left_out() > 0) log.add("views_left_out", {.count = file.views_left_out()});
    if (file.is_cut_short()) log.add("file_cut_short");
}

/// Describes how two databases belong together.
enum class Relation { none, report_pair, report_pair_turned, ranks };

Relation relation_of(const sqlite::SqliteFile& first, const sqlite::SqliteFile& second) {
    if (profilers::is_memory_report(first) && profilers::is_run_time_report(second)) return Relation::report_pair;
    if (profilers::is_run_time_report(first) && profilers::is_memory_report(second)) return Relation::report_pair_turned;
    return profilers::is_ascend_profiler(first) && profilers::is_ascend_profiler(second) ? Relation::ranks : Relation::none;
}

/// Fills `loaded` from an open database: calls `read` for the snapshot and adds the database for queries.
template <typename Read>
void read_with(const std::shared_ptr<sqlite::SqliteFile>& file, profilers::LoadedFile& loaded, Read read) {
    loaded.snapshot = std::make_shared<Snapshot>();
    log_condition(*file, loaded.snapshot->log);
    read(*loaded.snapshot);
    loaded.databases.insert(loaded.databases.begin(), {"file", file});
}

}  // namespace

bool looks_like_sqlite(std::string_view front) {
    constexpr std::string_view k_magic("SQLite format 3\0", 16);
    return front.starts_with(k_magic);
}

bool is_database(const Input& input) { return input.file != nullptr && looks_like_sqlite(input.front); }

void read_database(const Input& input, ReadDatabase read, profilers::LoadedFile& loaded) {
    const std::shared_ptr<sqlite::SqliteFile>& file = input.file->database();
    read_with(file, loaded, [&](Snapshot& snapshot) { read(file, snapshot, loaded); });
}

Result<DatabasePair> open_pair(const std::string& path, const std::string& with, Progress& progress) {
    return caught(&progress, [&] {
        for (const std::string& each : {path, with}) budget_of_thread().add_file_at(each);
        std::shared_ptr<sqlite::SqliteFile> first = value_or_throw(sqlite::SqliteFile::open(path));
        Result<std::shared_ptr<sqlite::SqliteFile>> opened = sqlite::SqliteFile::open(with);
        if (!opened) throw Failure{{opened.error().code, with + ": " + opened.error().message}};
        std::shared_ptr<sqlite::SqliteFile> second = *std::move(opened);
        const Relation relation = relation_of(*first, *second);
        if (relation == Relation::none) {
            bytes::fail(
                "cannot be opened together with " + with +
                "; the pairs that can be are a memory report and a run-time report of Skyline or DeepView, or the Ascend "
                "profiles of two ranks");
        }
        if (relation == Relation::report_pair_turned) std::swap(first, second);
        return DatabasePair{std::move(first), std::move(second), relation == Relation::ranks};
    });
}

Result<profilers::LoadedFile> load_pair(const DatabasePair& pair) {
    Result<profilers::LoadedFile> both = caught([&] {
        profilers::LoadedFile loaded;
        read_with(pair.file, loaded, [&](Snapshot& snapshot) {
            log_condition(*pair.other, snapshot.log);
            if (pair.are_ranks)
                profilers::read_ascend_ranks(pair.file, pair.other, snapshot, loaded);
            else
                profilers::read_report_pair(*pair.file, *pair.other, snapshot, loaded);
        });
        loaded.databases.push_back({pair.are_ranks ? "other" : "run_time", pair.other});
        return loaded;
    });
    if (both) limit_values(*both->snapshot);
    return both;
}

bool are_of_one_model(const DatabasePair& pair) {
    if (pair.are_ranks) return false;
    const Result<bool> answer = caught([&] { return profilers::are_of_one_model(*pair.file, *pair.other); });
    return answer && *answer;
}

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

/// Kinds of databases that are refused with a message. The first kind that matches is used.
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

bool has_table_like(const sqlite::SqliteFile& file, std::string_view pattern) {
    if (!pattern.ends_with('*')) return file.find_table(pattern).has_value();
    pattern.remove_suffix(1);
    return std::ranges::any_of(file.tables(), [&](const std::string& name) { return name.starts_with(pattern); });
}

bool fits(const sqlite::SqliteFile& file, const KnownOther& other) {
    return std::ranges::all_of(other.tables,
                               [&](std::string_view table) { return table.empty() || has_table_like(file, table); });
}

}  // namespace

std::string describe_other(const sqlite::SqliteFile& file) {
    if (file.tables().empty()) return "is an SQLite database without tables";
    const auto* known = std::ranges::find_if(k_known_others, [&](const KnownOther& other) { return fits(file, other); });
    const std::string_view what =
        known == k_known_others.end() ? "is an SQLite database that does not come from a known profiler" : known->what;
    return std::string(what) + "; its tables can be queried, but there is nothing to draw";
}

void read_other_database(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, profilers::LoadedFile&) {
    snapshot.kind = FileKind::sqlite;
    snapshot.log.add("only_tables", {}, {describe_other(*file)});
}

}  // namespace snapviewer::load
