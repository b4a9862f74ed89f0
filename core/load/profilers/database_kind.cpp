#include "core/load/profilers/database_kind.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace snapviewer {
namespace {

using Names = std::initializer_list<std::string_view>;

bool has_any(const SqliteFile& file, Names names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return file.find_table(name).has_value(); });
}

bool has_all(const SqliteFile& file, Names names) {
    return std::ranges::all_of(names, [&](std::string_view name) { return file.find_table(name).has_value(); });
}

}  // namespace

DatabaseKind database_kind(const SqliteFile& file) {
    if (has_any(file, {"weight_entries", "activation_entries"})) return DatabaseKind::memory_report;
    if (has_any(file, {"run_time_entries"})) return DatabaseKind::run_time_report;
    if (has_any(file, {"OP_MEMORY", "MEMORY_RECORD"}) || has_all(file, {"PYTORCH_API", "STRING_IDS"}))
        return DatabaseKind::ascend_profiler;
    if (has_all(file, {"STRING_IDS"}) && has_any(file, {"NPU_OP_MEM", "NPU_MEM", "NPU_MODULE_MEM"}))
        return DatabaseKind::msprof;
    return DatabaseKind::other;
}

std::string describe_other(const SqliteFile& file) {
    if (file.tables().empty()) return "is an SQLite database without any table";
    std::string what = "is an SQLite database that no profiler we know wrote";
    if (has_any(file, {"memscope_dump", "leaks_dump"}))
        what = "was written by Ascend's msMemScope, whose blocks are not drawn yet";
    else if (has_any(file, {"iteration_entries"}))
        what = "is a report in the format of a Skyline before its first release, which is not drawn";
    else if (has_any(file, {"ENERGY"}))
        what = "is DeepView's record of energy, which holds no memory and no run time";
    else if (has_any(file, {"StepTraceTime"}) ||
             std::ranges::any_of(file.tables(), [](const std::string& name) { return name.starts_with("CommAnalyzer"); }))
        what = "is an Ascend analysis database, which holds step and communication times but no memory";
    return what + ": its tables can be queried, there is nothing to draw";
}

}  // namespace snapviewer
