#include "core/load/profilers/ascend/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/base/job.h"
#include "core/base/text.h"

namespace snapviewer::profilers::ascend {
namespace {

/// A list of pairs of numbers with look-up by the first number.
class PairIndex {
public:
    /// Reads the two columns of a query. Skips pairs with NULL.
    void read(sqlite::SqliteFile& file, const std::string& sql) {
        auto rows = file.query(sql);
        while (rows && rows->next()) {
            if (rows->type(0) != sqlite::ValueType::null && rows->type(1) != sqlite::ValueType::null)
                pairs_.emplace_back(rows->integer(0), rows->integer(1));
        }
        std::ranges::sort(pairs_);
    }
    /// The pairs with this first number, sorted by the second one.
    auto find(std::int64_t first) const {
        return std::ranges::equal_range(pairs_, first, {}, &std::pair<std::int64_t, std::int64_t>::first);
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

constexpr std::int64_t k_operation = 50001;  // value of PYTORCH_API.type for operations

/// True if the rows are sorted by id and their row numbers are in the range that SQLite assigns, so that the arithmetic of
/// the binary search cannot overflow.
bool has_sorted_ids(sqlite::SqliteFile& file) {
    auto rows = file.query("SELECT id, rowid FROM PYTORCH_CALLCHAINS ORDER BY rowid");
    if (!rows) return false;
    constexpr std::int64_t k_largest = std::numeric_limits<std::int64_t>::max();
    std::int64_t before = std::numeric_limits<std::int64_t>::min();
    while (rows->next()) {
        const std::int64_t row = rows->integer(1);
        if (rows->integer(0) < before || row < 1 || row == k_largest) return false;
        before = rows->integer(0);
    }
    return rows->status().ok();
}

/// The time ranges of PyTorch's operations, for finding the operations that ran at a given time. Takes about 60 bytes per
/// operation.
class Operations {
public:
    /// Reads all operations, which takes seconds if there are millions of them. If a stop is requested, keeps those that
    /// were read until then.
    void read(sqlite::SqliteFile& file) {
        std::string sql = select_columns(file, "PYTORCH_API",
                                         {Wanted::expression(row_number_of(file, "PYTORCH_API")), "startNs", "endNs",
                                          "sequenceNumber", "fwdThreadId", "callchainId"});
        if (!sql.empty()) {
            if (file.find_column("PYTORCH_API", {"type"})) sql += " WHERE type = " + std::to_string(k_operation);
            auto rows = file.query(sql);
            while (rows && rows->next()) {
                const auto start = whole_number(*rows, 1);
                const auto end = whole_number(*rows, 2);
                if (!start || !end) continue;
                spans_.push_back({*start, *end, rows->integer(0)});
                const bool is_forward =
                    rows->type(3) != sqlite::ValueType::null && rows->integer(3) >= 0 && rows->integer(4) == 0;
                if (is_forward && rows->type(5) != sqlite::ValueType::null)
                    forwards_.push_back({rows->integer(3), *start, rows->integer(0)});
            }
        }
        std::ranges::sort(spans_, {}, [](const Span& span) { return std::tuple(span.start_ns, -span.end_ns, span.row); });
        std::ranges::sort(forwards_, {}, [](const Forward& f) { return std::tuple(f.sequence_number, f.start_ns, f.row); });
        latest_end_.reserve(spans_.size());
        for (const Span& span : spans_)
            latest_end_.push_back(latest_end_.empty() ? span.end_ns : std::max(latest_end_.back(), span.end_ns));
        if (file.find_table("CONNECTION_IDS")) connections.read(file, "SELECT id, connectionId FROM CONNECTION_IDS");
        if (file.find_table("TASK")) tasks.read(file, "SELECT connectionId, rowid FROM TASK");
        has_sorted_callchains = file.find_table("PYTORCH_CALLCHAINS") && has_sorted_ids(file);
    }

    /// The rows of PYTORCH_API that ran at `time_ns`, outermost first. Takes up to milliseconds.
    std::vector<std::int64_t> running_at(std::int64_t time_ns) const {
        std::vector<std::int64_t> found;
        auto at = static_cast<std::size_t>(std::ranges::upper_bound(spans_, time_ns, {}, &Span::start_ns) - spans_.begin());
        for (; at > 0 && latest_end_[at - 1] >= time_ns; --at) {
            if (spans_[at - 1].end_ns >= time_ns) found.push_back(spans_[at - 1].row);
        }
        std::ranges::reverse(found);
        return found;
    }
    /// The row of the forward operation that belongs to a backward operation with this sequence number; 0 if there is none.
    std::int64_t forward_of(std::int64_t sequence_number) const {
        // Uses the last operation with this number. Operations without gradients may have the same number, but run before
        // it.
        const auto same = std::ranges::equal_range(forwards_, sequence_number, {}, &Forward::sequence_number);
        return same.empty() ? 0 : same.back().row;
    }

    PairIndex connections;  ///< maps CONNECTION_IDS.id to connectionId
    PairIndex tasks;        ///< maps TASK.connectionId to the row of TASK
    /// True if the rows of PYTORCH_CALLCHAINS are sorted by id, so that a binary search finds them.
    bool has_sorted_callchains = false;

private:
    struct Span {
        std::int64_t start_ns = 0;
        std::int64_t end_ns = 0;
        std::int64_t row = 0;
    };
    struct Forward {
        std::int64_t sequence_number = 0;
        std::int64_t start_ns = 0;
        std::int64_t row = 0;
    };

    std::vector<Span> spans_;               ///< time ranges of all operations, sorted by start
    std::vector<std::int64_t> latest_end_;  ///< element i: maximum of the ends of spans 0 to i
    std::vector<Forward> forwards_;         ///< forward operations, sorted by sequence number, then start
};

constexpr std::size_t k_max_kernels = 50;
constexpr auto k_kernel_query_timeout = std::chrono::milliseconds(100);

/// An operation from PYTORCH_API.
struct Operation {
    std::int64_t row = 0;
    std::string name;
    std::int64_t thread = 0;
    std::optional<std::int64_t> callchain;
    std::int64_t sequence_number = -1;
    std::int64_t forward_thread = 0;
    std::optional<std::int64_t> connection;
    std::string shapes;
    std::string types;
};

class AscendDetails final : public DetailSource {
public:
    AscendDetails(std::shared_ptr<sqlite::SqliteFile> file, std::vector<std::vector<std::int64_t>> row_ids)
        : file_(std::move(file)), row_ids_(std::move(row_ids)) {}

    ~AscendDetails() override { progress_.request_stop(); }
    AscendDetails(const AscendDetails&) = delete;
    AscendDetails& operator=(const AscendDetails&) = delete;

    Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) override {
        const std::lock_guard lock(mutex_);
        const std::int64_t row = row_ids_.at(device_index).at(id.value);
        if (row == 0) return before_profile();
        std::vector<DetailSection> sections;
        Result<DetailSection> memory = memory_section(row);
        if (!memory) return memory.error();
        sections.push_back(std::move(*memory));
        if (!file_->find_table("PYTORCH_API")) return sections;
        start_reading();
        if (operations_.wait_for(k_kernel_query_timeout) != std::future_status::ready) {
            sections.push_back({"Operations", {{"", "still being read in the background; try again in a moment"}}});
            return sections;
        }
        add_operation_sections(sections);
        return sections;
    }

private:
    static std::vector<DetailSection> before_profile() {
        return {{"Before the profile",
                 {{"",
                   "Memory that was allocated before the profile started. The file does not list such blocks; this one is "
                   "derived from a drop in the recorded totals."}}}};
    }

    std::string text_of(std::int64_t id) {
        if (!file_->find_table("STRING_IDS")) return fmt::format("#{}", id);
        const auto row = first_row(*file_, "SELECT value FROM STRING_IDS WHERE id = ?1 ORDER BY rowid LIMIT 1", id);
        if (row) return std::string(row->text(0));
        return id == k_no_string ? "(unknown)" : fmt::format("#{}", id);
    }

    Result<DetailSection> memory_section(std::int64_t row) {
        const std::string sql = select_columns(
            *file_, "OP_MEMORY",
            {"name", "allocationTime|allocation_time", "releaseTime|release_time", "activeReleaseTime|active_release_time",
             "allocationTotalAllocated|allocation_total_allocated", "allocationTotalActive|allocation_total_active",
             "allocationTotalReserved|allocation_total_reserved", "releaseTotalAllocated|release_total_allocated",
             "releaseTotalActive|release_total_active", "releaseTotalReserved|release_total_reserved"});
        auto rows = file_->query(sql + " WHERE rowid = ?1");
        if (!rows) return rows.error();
        rows->bind(1, row);
        DetailSection section{"Profiled memory", {}};
        if (!rows->next()) return section;
        name_ = text_of(rows->integer(0));
        alloc_ns_ = moment(*rows, 1).value_or(0);
        section.rows.emplace_back("operation", one_line(name_));
        section.rows.emplace_back("row of OP_MEMORY", std::to_string(row));
        section.rows.emplace_back("allocated", moment_text(alloc_ns_));
        add_end(section, "freed", moment(*rows, 2));
        add_end(section, "back in the pool", moment(*rows, 3));
        constexpr const char* k_totals[] = {"allocated after it",       "active after it",
                                            "reserved after it",        "allocated after its release",
                                            "active after its release", "reserved after its release"};
        for (int i = 0; i < 6; ++i) {
            if (const auto bytes = whole_number(*rows, 4 + i); bytes && *bytes >= 0)
                section.rows.emplace_back(k_totals[i], format_bytes_exactly(static_cast<std::uint64_t>(*bytes)));
        }
        return section;
    }

    void add_end(DetailSection& section, const char* what, std::optional<std::int64_t> time_ns) const {
        if (!time_ns || *time_ns <= alloc_ns_) return;
        section.rows.emplace_back(what,
                                  fmt::format("{}, after {}", moment_text(*time_ns), duration_text(*time_ns - alloc_ns_)));
    }

    void start_reading() {
        if (operations_.valid()) return;
        operations_ = start_async([file = file_, progress = &progress_] {
                          const ContextScope scope{Context(*progress)};
                          Operations operations;
                          // Uses a connection of its own, because two threads must not share one.
                          if (auto own = file->open_again()) operations.read(**own);
                          return operations;
                      }).share();
    }

    std::vector<Operation> read_operations(const std::vector<std::int64_t>& rows) {
        std::vector<Operation> found;
        const std::string sql = select_columns(*file_, "PYTORCH_API",
                                               {"name", "globalTid", "callchainId", "sequenceNumber", "fwdThreadId",
                                                "connectionId", "inputShapes", "inputDtypes"});
        auto query = file_->query(sql + " WHERE rowid = ?1");
        if (!query) return found;
        for (const std::int64_t row : rows) {
            query->reset();
            query->bind(1, row);
            if (!query->next()) continue;
            const auto text = [&](int column) {
                return query->type(column) == sqlite::ValueType::null ? "" : one_line(text_of(query->integer(column)));
            };
            found.push_back({row, text(0), query->integer(1), whole_number(*query, 2), whole_number(*query, 3).value_or(-1),
                             query->integer(4), whole_number(*query, 5), text(6), text(7)});
        }
        return found;
    }

    /// The operations around the allocation, from the outermost one to its owner. The owner is the innermost running
    /// operation that has the allocation's name. Contains only operations on the owner's thread.
    std::vector<Operation> owners() {
        std::vector<Operation> running = read_operations(operations_.get().running_at(alloc_ns_));
        const std::string name = one_line(name_);
        const auto owner = std::ranges::find(running.rbegin(), running.rend(), name, &Operation::name);
        if (owner == running.rend()) return running;
        const std::int64_t thread = owner->thread;
        running.erase(owner.base(), running.end());
        std::erase_if(running, [&](const Operation& operation) { return operation.thread != thread; });
        return running;
    }

    void add_operation_sections(std::vector<DetailSection>& sections) {
        const std::vector<Operation> path = owners();
        if (path.empty()) return;
        DetailSection operations{"Operations, outermost first", {}};
        for (const Operation& operation : path) operations.rows.emplace_back("", operation.name);
        sections.push_back(std::move(operations));
        const Operation& owner = path.back();
        DetailSection inputs{"Inputs of " + owner.name, {}};
        if (!owner.shapes.empty()) inputs.rows.emplace_back("shapes", owner.shapes);
        if (!owner.types.empty()) inputs.rows.emplace_back("types", owner.types);
        if (!inputs.rows.empty()) sections.push_back(std::move(inputs));
        add_stack(sections, path);
        add_kernels(sections, path);
    }

    void add_stack(std::vector<DetailSection>& sections, const std::vector<Operation>& path) {
        const auto backward = std::find_if(path.rbegin(), path.rend(), [](const Operation& operation) {
            return operation.forward_thread != 0 && operation.sequence_number >= 0;
        });
        if (const auto& own = path.back().callchain) {
            sections.push_back({"Stack, innermost first", stack_lines(*own)});
        } else if (backward != path.rend()) {
            const std::int64_t forward = operations_.get().forward_of(backward->sequence_number);
            const auto found = forward == 0 ? std::vector<Operation>() : read_operations({forward});
            if (found.empty() || !found.front().callchain) return;
            sections.push_back({fmt::format("Forward stack ({}), innermost first", found.front().name),
                                stack_lines(*found.front().callchain)});
        }
        if (!sections.empty() && sections.back().rows.empty()) sections.pop_back();
    }

    std::vector<std::pair<std::string, std::string>> stack_lines(std::int64_t callchain) {
        std::vector<std::pair<std::string, std::string>> lines;
        if (!file_->find_table("PYTORCH_CALLCHAINS")) return lines;
        constexpr std::int64_t k_largest = std::numeric_limits<std::int64_t>::max();
        const bool is_sorted = operations_.get().has_sorted_callchains && callchain < k_largest;
        auto rows = file_->query(
            is_sorted ? "SELECT stack FROM PYTORCH_CALLCHAINS WHERE rowid >= ?1 AND rowid < ?2 ORDER BY stackDepth"
                      : "SELECT stack FROM PYTORCH_CALLCHAINS WHERE id = ?1 ORDER BY stackDepth");
        if (!rows) return lines;
        rows->bind(1, is_sorted ? first_callchain_row(callchain) : callchain);
        if (is_sorted) rows->bind(2, first_callchain_row(callchain + 1));
        while (rows->next()) lines.emplace_back("", one_line(text_of(rows->integer(0))));
        return lines;
    }

    /// Finds the first row whose id is at least `id` by binary search, because the table has no index.
    std::int64_t first_callchain_row(std::int64_t id) {
        auto edges = file_->query("SELECT min(rowid), max(rowid) FROM PYTORCH_CALLCHAINS");
        auto row = file_->query("SELECT id, rowid FROM PYTORCH_CALLCHAINS WHERE rowid >= ?1 LIMIT 1");
        if (!edges || !row || !edges->next()) return 0;
        std::int64_t low = edges->integer(0);
        std::int64_t high = edges->integer(1) + 1;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            row->reset();
            row->bind(1, middle);
            if (row->next() && row->integer(0) < id) {
                low = row->integer(1) + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Adds the kernels of the innermost operation around the allocation that launched any.
    void add_kernels(std::vector<DetailSection>& sections, const std::vector<Operation>& path) {
        const Operations& operations = operations_.get();
        for (auto operation = path.rbegin(); operation != path.rend(); ++operation) {
            if (!operation->connection) continue;
            DetailSection kernels{"Kernels of " + operation->name, {}};
            for (const auto& [id, connection] : operations.connections.find(*operation->connection)) {
                for (const auto& [key, task] : operations.tasks.find(connection)) add_kernel(kernels, task);
            }
            if (kernels.rows.empty()) continue;
            sections.push_back(std::move(kernels));
            return;
        }
    }

    void add_kernel(DetailSection& kernels, std::int64_t task) {
        if (kernels.rows.size() >= k_max_kernels) return;
        const auto row = first_row(
            *file_, "SELECT startNs, endNs, streamId, taskType, globalTaskId, connectionId FROM TASK WHERE rowid = ?1",
            task);
        if (!row) return;
        const auto name_in = [&](const char* table, const char* sql, std::int64_t key) {
            return file_->find_table(table) ? first_row(*file_, sql, key) : std::nullopt;
        };
        auto name =
            name_in("COMPUTE_TASK_INFO", "SELECT name FROM COMPUTE_TASK_INFO WHERE globalTaskId = ?1", row->integer(4));
        if (!name)
            name =
                name_in("COMMUNICATION_OP", "SELECT opName FROM COMMUNICATION_OP WHERE connectionId = ?1", row->integer(5));
        std::string facts = fmt::format("stream {}", row->integer(2));
        const std::optional<std::int64_t> start = moment(*row, 0), end = moment(*row, 1);
        if (start && end)
            facts += fmt::format(", {}, {} after the allocation", duration_text(*end - *start),
                                 duration_text(*start - alloc_ns_));
        kernels.rows.emplace_back(one_line(text_of(name ? name->integer(0) : row->integer(3))), std::move(facts));
    }

    std::shared_ptr<sqlite::SqliteFile> file_;
    std::vector<std::vector<std::int64_t>> row_ids_;
    std::mutex mutex_;
    Progress progress_;
    /// Declared after everything that its thread uses, because its destructor waits for the thread.
    std::shared_future<Operations> operations_;
    std::string name_;  ///< Name of the allocation that is being described.
    std::int64_t alloc_ns_ = 0;
};

}  // namespace

std::unique_ptr<DetailSource> make_details(std::shared_ptr<sqlite::SqliteFile> file,
                                           std::vector<std::vector<std::int64_t>> row_ids) {
    return std::make_unique<AscendDetails>(std::move(file), std::move(row_ids));
}

}  // namespace snapviewer::profilers::ascend
