#include "core/load/profilers/ascend/operations.h"

#include <algorithm>
#include <tuple>

#include "core/load/profilers/probe.h"

namespace snapviewer::ascend {
namespace {

constexpr std::int64_t k_operation = 50001;  // value of PYTORCH_API.type for operations

/// True if the rows are sorted by id and their row numbers are in the range that SQLite assigns, so that the arithmetic of
/// the binary search cannot overflow.
bool has_sorted_ids(SqliteFile& file) {
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

}  // namespace

void PairIndex::read(SqliteFile& file, const std::string& sql) {
    auto rows = file.query(sql);
    while (rows && rows->next()) {
        if (rows->type(0) != ValueType::null && rows->type(1) != ValueType::null)
            pairs_.emplace_back(rows->integer(0), rows->integer(1));
    }
    std::ranges::sort(pairs_);
}

std::vector<std::int64_t> PairIndex::find(std::int64_t first) const {
    std::vector<std::int64_t> found;
    for (const auto& pair : std::ranges::equal_range(pairs_, first, {}, &std::pair<std::int64_t, std::int64_t>::first))
        found.push_back(pair.second);
    return found;
}

void Operations::read(SqliteFile& file) {
    std::string sql = select_columns(file, "PYTORCH_API",
                                     {Wanted::expression(row_number_of(file, "PYTORCH_API")),
                                      {"startNs"},
                                      {"endNs"},
                                      {"sequenceNumber"},
                                      {"fwdThreadId"},
                                      {"callchainId"}});
    if (!sql.empty()) {
        if (file.find_column("PYTORCH_API", {"type"})) sql += " WHERE type = " + std::to_string(k_operation);
        auto rows = file.query(sql);
        while (rows && rows->next()) {
            const auto start = whole_number(*rows, 1);
            const auto end = whole_number(*rows, 2);
            if (!start || !end) continue;
            spans_.push_back({*start, *end, rows->integer(0)});
            const bool is_forward = rows->type(3) != ValueType::null && rows->integer(3) >= 0 && rows->integer(4) == 0;
            if (is_forward && rows->type(5) != ValueType::null)
                forwards_.push_back({rows->integer(3), *start, rows->integer(0)});
        }
    }
    std::ranges::sort(spans_, {}, [](const Span& span) { return std::tuple(span.start_ns, -span.end_ns, span.row); });
    std::ranges::sort(forwards_, {}, [](const Forward& f) { return std::tuple(f.sequence_number, f.start_ns, f.row); });
    latest_end_.reserve(spans_.size());
    for (const Span& span : spans_)
        latest_end_.push_back(latest_end_.empty() ? span.end_ns : std::max(latest_end_.back(), span.end_ns));
    if (file.find_table("CONNECTION_IDS")) connections_.read(file, "SELECT id, connectionId FROM CONNECTION_IDS");
    if (file.find_table("TASK")) tasks_.read(file, "SELECT connectionId, rowid FROM TASK");
    has_sorted_callchains_ = file.find_table("PYTORCH_CALLCHAINS") && has_sorted_ids(file);
}

std::vector<std::int64_t> Operations::running_at(std::int64_t time_ns) const {
    std::vector<std::int64_t> found;
    auto at = static_cast<std::size_t>(std::ranges::upper_bound(spans_, time_ns, {}, &Span::start_ns) - spans_.begin());
    for (; at > 0 && latest_end_[at - 1] >= time_ns; --at) {
        if (spans_[at - 1].end_ns >= time_ns) found.push_back(spans_[at - 1].row);
    }
    std::ranges::reverse(found);
    return found;
}

std::int64_t Operations::forward_of(std::int64_t sequence_number) const {
    // Takes the last one, because operations without gradients may have the same number before it.
    const auto same = std::ranges::equal_range(forwards_, sequence_number, {}, &Forward::sequence_number);
    return same.empty() ? 0 : same.back().row;
}

}  // namespace snapviewer::ascend
