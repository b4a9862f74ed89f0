#include "core/sqlite/attached_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "core/base/text.h"

namespace snapviewer {
namespace {

struct KnownTable {
    std::string_view name;
    std::string_view text;
};

/// Descriptions of the tables of profilers. The details are in the documentation of their makers.
constexpr std::array k_known_tables = {
    KnownTable{"STRING_IDS", "Every text of the file; the other tables hold its id."},
    KnownTable{"PYTORCH_API", "Operations of PyTorch with start and end (ns), thread, shapes and call chain."},
    KnownTable{"CONNECTION_IDS", "Which operation led to which task: PYTORCH_API.connectionId is its id."},
    KnownTable{"PYTORCH_CALLCHAINS", "The Python stacks of operations, one row per frame; stackDepth 0 is the innermost."},
    KnownTable{"MEMORY_RECORD", "Totals of each allocator after each of its events."},
    KnownTable{"OP_MEMORY", "One row for each block allocated during the profile: size, times (ns), totals."},
    KnownTable{"RANK_DEVICE_MAP", "Which rank used which device."},
    KnownTable{"STEP_TIME", "The steps of the training loop."},
    KnownTable{"GC_RECORD", "When Python's garbage collector ran."},
    KnownTable{"ROCE", "RDMA network counters: rates in bytes/s and packets/s."},
    KnownTable{"NIC", "Network counters: rates in bytes/s and packets/s."},
    KnownTable{"HCCS", "Traffic between devices, bytes/s."},
    KnownTable{"PCIE", "Traffic with the host, bytes/s."},
    KnownTable{"HBM", "Traffic with the device's memory, bytes/s."},
    KnownTable{"AICORE_FREQ", "Clock of the cores, MHz."},
    KnownTable{"TASK", "What ran on the device: start and end (ns), stream."},
    KnownTable{"COMPUTE_TASK_INFO", "Kernels by globalTaskId: name, type, shapes."},
    KnownTable{"COMMUNICATION_OP", "Collective operations."},
    KnownTable{"CANN_API", "Calls of the runtime below PyTorch."},
    KnownTable{"NPU_MEM", "Memory of the process ('app') and the device over time."},
    KnownTable{"NPU_MODULE_MEM", "Reserved memory of each component of the runtime over time."},
    KnownTable{"NPU_OP_MEM", "Allocations and releases of the graph engine, with addresses."},
    KnownTable{"NPU_INFO", "Names of the devices."},
    KnownTable{"META_DATA", "What the profiler recorded about the run."},
    KnownTable{"SESSION_TIME_INFO", "Start and end of the profile (ns)."},
    KnownTable{"weight_entries", "The model's parameters with their gradients."},
    KnownTable{"activation_entries", "What operations keep for the backward pass, the last operation first."},
    KnownTable{"run_time_entries", "Operations with their times, in forward order."},
    KnownTable{"stack_correlation", "Which stack belongs to which entry."},
    KnownTable{"stack_frames", "The frames of each entry; ordering 0 is the innermost."},
    KnownTable{"entry_types", "The meaning of entry_type."},
    KnownTable{"misc_sizes", "Other sizes, such as the peak."},
};

std::string describe_table(const std::string& name, const std::string& schema, bool needs_schema) {
    const auto same_name = [](std::string_view a, std::string_view b) {
        return a.size() == b.size() && sqlite3_strnicmp(a.data(), b.data(), static_cast<int>(a.size())) == 0;
    };
    const auto* known = std::ranges::find_if(k_known_tables, [&](const auto& table) { return same_name(table.name, name); });
    std::string text = known == k_known_tables.end() ? "A table of the file." : std::string(known->text);
    if (needs_schema) text += fmt::format(" Write {}. before its name, because another table has the same name.", schema);
    return text;
}

}  // namespace

Status attach_file(sqlite3* connection, const AttachedFile& attached) {
    const SqliteFile& file = *attached.file;
    if (file.is_cut_short()) sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    sqlite3_stmt* raw = nullptr;
    int status = sqlite3_prepare_v2(connection, "ATTACH DATABASE ?1 AS ?2", -1, &raw, nullptr);
    if (status == SQLITE_OK) {
        sqlite3_bind_text64(raw, 1, file.uri().data(), file.uri().size(), SQLITE_STATIC, SQLITE_UTF8);
        sqlite3_bind_text64(raw, 2, attached.schema.data(), attached.schema.size(), SQLITE_STATIC, SQLITE_UTF8);
        sqlite3_step(raw);
        status = sqlite3_finalize(raw);
    }
    if (status != SQLITE_OK)
        return Error{ErrorCode::bad_file, fmt::format("cannot be queried: {}", sqlite3_errmsg(connection))};
    const std::string settings = fmt::format("PRAGMA {}.cell_size_check = 1", attached.schema);
    sqlite3_exec(connection, settings.c_str(), nullptr, nullptr, nullptr);
    return {};
}

Status create_views(sqlite3* connection, const std::vector<SqlView>& views) {
    for (const SqlView& view : views) {
        // SQLite allows only temporary views to refer to another database.
        const std::string sql = fmt::format("CREATE TEMP VIEW {} AS {}", view.doc.name, view.select);
        if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
            return Error{
                ErrorCode::bad_file, fmt::format("cannot be queried: {}", sqlite3_errmsg(connection)), {}, view.doc.name};
    }
    return {};
}

std::vector<TableDoc> describe_file(const AttachedFile& attached, const std::vector<TableDoc>& before) {
    const SqliteFile& file = *attached.file;
    const std::string& schema = attached.schema;
    const std::string file_name = std::filesystem::path(file.path()).filename().string();
    std::vector<TableDoc> docs;
    std::set<std::string> taken;
    for (const TableDoc& table : before) taken.insert(lower_case(table.name));
    for (const std::string& name : file.tables()) {
        const bool is_taken = taken.contains(lower_case(name));
        const bool is_plain =
            std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
        const std::string written = is_plain ? name : sql_name(name);
        TableDoc doc{is_taken ? schema + "." + written : written,
                     describe_table(name, schema, is_taken),
                     {},
                     true,
                     schema,
                     file_name};
        const std::vector<std::string>& types = file.column_types(name);
        for (const std::string& column : file.columns(name)) doc.columns.push_back({column, types[doc.columns.size()], ""});
        docs.push_back(std::move(doc));
    }
    return docs;
}

}  // namespace snapviewer
