#include "core/load/profilers/memscope/details.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/load/profilers/memscope/dump.h"
#include "core/load/profilers/tables.h"

namespace snapviewer::memscope {
namespace {

/// The columns of a row that the details show.
struct Row {
    std::string type, process, thread, address, attributes, python_stack, c_stack;
    std::int64_t time = 0;  ///< time in the unit of the table, see Dump::ns_per_unit
};

class MemscopeDetails final : public DetailSource {
public:
    MemscopeDetails(std::shared_ptr<SqliteFile> file, DumpColumns columns, std::int64_t ns_per_unit,
                    std::vector<AllocationRows> rows)
        : file_(std::move(file)), columns_(std::move(columns)), ns_per_unit_(ns_per_unit), rows_(std::move(rows)) {}

    Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) override {
        const std::lock_guard lock(mutex_);
        const std::int64_t alloc_row = rows_.at(device_index).allocs.at(id.value);
        const std::int64_t free_row = rows_.at(device_index).frees.at(id.value);
        if (alloc_row == k_below_all) return below_all();
        const std::optional<Row> alloc = alloc_row == 0 ? std::nullopt : read(alloc_row);
        const std::optional<Row> freed = free_row == 0 ? std::nullopt : read(free_row);
        std::vector<DetailSection> sections;
        if (!alloc && !freed) return sections;
        const Row& known = alloc ? *alloc : *freed;
        DetailSection facts{"msMemScope", {{"kind", one_line(known.type)}}};
        if (alloc) {
            facts.rows.emplace_back("row of " + columns_.table, std::to_string(alloc_row));
            facts.rows.emplace_back("allocated", moment_text(alloc->time * ns_per_unit_));
        }
        if (freed) add_end(facts, alloc, *freed, free_row);
        add_attributes(facts, known);
        sections.push_back(std::move(facts));
        add_accesses(sections, known, alloc, freed);
        if (alloc && !alloc->python_stack.empty()) add_stack(sections, "C stack, innermost first", alloc->c_stack);
        if (alloc && freed)
            add_stack(sections, "Freed by, innermost first",
                      freed->python_stack.empty() ? freed->c_stack : freed->python_stack);
        return sections;
    }

private:
    static std::vector<DetailSection> below_all() {
        return {{"Before the recording",
                 {{"",
                   "Memory that was allocated before the recording started and not freed during it. The file does not list "
                   "it; it is the memory that the allocator reports in use minus the known blocks."}}}};
    }

    std::optional<Row> read(std::int64_t row) {
        const DumpColumns& c = columns_;
        std::string sql = "SELECT " + c.type;
        for (const std::string* column :
             {&c.process, &c.thread, &c.address, &c.attributes, &c.python_stack, &c.c_stack, &c.time})
            sql += ", " + *column;
        auto rows = file_->query(sql + " FROM " + sql_name(c.table) + " WHERE rowid = ?1");
        if (!rows) return std::nullopt;
        rows->bind(1, row);
        if (!rows->next()) return std::nullopt;
        const auto text = [&](int column) { return std::string(rows->text(column)); };
        return Row{text(0), text(1), text(2), text(3), text(4), text(5), text(6), whole_number(*rows, 7).value_or(0)};
    }

    void add_end(DetailSection& facts, const std::optional<Row>& alloc, const Row& freed, std::int64_t row) const {
        std::string text = moment_text(freed.time * ns_per_unit_);
        if (alloc) text += ", after " + duration_text((freed.time - alloc->time) * ns_per_unit_);
        facts.rows.emplace_back("freed", fmt::format("{} (row {})", text, row));
    }

    static void add_attributes(DetailSection& facts, const Row& row) {
        if (!row.process.empty()) facts.rows.emplace_back("process", one_line(row.process));
        if (!row.thread.empty()) facts.rows.emplace_back("thread", one_line(row.thread));
        Attributes attributes(row.attributes);
        while (attributes.next()) {
            const std::string_view key = attributes.key();
            if (key == "addr" || key == "size" || attributes.value().empty()) continue;
            const auto bytes = key == "total" || key == "used" ? number_of(attributes.value()) : std::nullopt;
            facts.rows.emplace_back(key == "total"  ? "reserved after it"
                                    : key == "used" ? "allocated after it"
                                                    : one_line(key),
                                    bytes && *bytes >= 0 ? format_bytes_exactly(static_cast<std::uint64_t>(*bytes))
                                                         : one_line(attributes.value()));
        }
    }

    /// Counts the reads and writes of the block's first address during its life.
    void add_accesses(std::vector<DetailSection>& sections, const Row& known, const std::optional<Row>& alloc,
                      const std::optional<Row>& freed) {
        const DumpColumns& c = columns_;
        if (known.address.empty() || c.address == "NULL") return;
        auto rows =
            file_->query(fmt::format("SELECT count(*), min({0}), max({0}) FROM {1} WHERE {2} = 'ACCESS' AND {3} = ?1 "
                                     "AND {0} >= ?2 AND {0} <= ?3",
                                     c.time, sql_name(c.table), c.event, c.address));
        if (!rows) return;
        rows->bind(1, std::string_view(known.address));
        rows->bind(2, alloc ? alloc->time : 0);
        rows->bind(3, freed ? freed->time : std::numeric_limits<std::int64_t>::max() / ns_per_unit_);
        if (!rows->next() || rows->integer(0) == 0) return;
        sections.push_back({"Accesses",
                            {{"number", format_count(static_cast<std::uint64_t>(rows->integer(0)))},
                             {"first", moment_text(rows->integer(1) * ns_per_unit_)},
                             {"last", moment_text(rows->integer(2) * ns_per_unit_)}}});
    }

    static void add_stack(std::vector<DetailSection>& sections, const char* title, std::string_view text) {
        DetailSection stack{title, {}};
        for (const std::string_view line : stack_lines(text)) stack.rows.emplace_back("", one_line(line));
        if (!stack.rows.empty()) sections.push_back(std::move(stack));
    }

    std::shared_ptr<SqliteFile> file_;
    DumpColumns columns_;
    std::int64_t ns_per_unit_;
    std::vector<AllocationRows> rows_;
    std::mutex mutex_;
};

}  // namespace

std::unique_ptr<DetailSource> make_details(std::shared_ptr<SqliteFile> file, DumpColumns columns, std::int64_t ns_per_unit,
                                           std::vector<AllocationRows> rows) {
    return std::make_unique<MemscopeDetails>(std::move(file), std::move(columns), ns_per_unit, std::move(rows));
}

std::vector<SqlView> event_views(const DumpColumns& columns, std::int64_t ns_per_unit) {
    const auto attribute = [&](const char* key) {
        return fmt::format("CASE WHEN json_valid({0}) THEN json_extract({0}, '$.{1}') END", columns.attributes, key);
    };
    const auto number = [&](const char* key) { return "CAST(" + attribute(key) + " AS INTEGER)"; };
    struct ViewColumn {
        const char* name;
        const char* type;
        const char* text;
        std::string sql;
    };
    const ViewColumn all[] = {
        {"row", "INTEGER", "number of the row in the file's table; NULL if it has none", columns.row},
        {"event", "TEXT", "MALLOC, FREE, ACCESS, OP_LAUNCH, KERNEL_LAUNCH, MSTX, SYSTEM, ...", columns.event},
        {"event_type", "TEXT", "for MALLOC and FREE: whose memory (HAL, PTA, ATB, ...)", columns.type},
        {"name", "TEXT", "name of the operator, kernel or mark; 'N/A' if there is none", columns.name},
        {"time_ns", "INTEGER", "nanoseconds since the Unix epoch, whatever unit the file uses",
         ns_per_unit == 1 ? columns.time : fmt::format("{} * {}", columns.time, ns_per_unit)},
        {"process", "INTEGER", "process id", columns.process},
        {"thread", "INTEGER", "thread id", columns.thread},
        {"device", "TEXT", "device number, 'cpu' or 'host', or 'N/A'", columns.device},
        {"address", "TEXT", "as written in the file: hexadecimal or decimal", columns.address},
        {"size", "INTEGER", "bytes; older versions write frees in a pool as negative numbers", number("size")},
        {"owner", "TEXT", "owner of the memory, outermost first: 'PTA@model@weight'", attribute("owner")},
        {"total", "INTEGER", "bytes in the pool after the event", number("total")},
        {"used", "INTEGER", "bytes in use in the pool after the event", number("used")},
        {"allocation_id", "INTEGER", "the same for all events of one block; NULL if the version does not write it",
         number("allocation_id")},
        {"python_stack", "TEXT", "innermost first, one line per frame", columns.python_stack},
        {"c_stack", "TEXT", "innermost first, one line per frame", columns.c_stack},
    };
    SqlView view;
    view.doc = {
        "memory_events",
        columns.table + ", with the same column names for every version and the attributes as columns: one row per event.",
        {},
        true};
    for (const ViewColumn& column : all) {
        view.select += fmt::format("{}{} AS {}", view.select.empty() ? "SELECT " : ", ", column.sql, sql_name(column.name));
        view.doc.columns.push_back({column.name, column.type, column.text});
    }
    view.select += " FROM file." + sql_name(columns.table);
    return {std::move(view)};
}

}  // namespace snapviewer::memscope
