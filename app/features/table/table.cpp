#include "app/features/table/table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "core/query/database.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

}  // namespace

/// The rows are restricted to search results only if these belong to the current picture.
std::optional<AllocationList::WantedRows> AllocationList::wanted_rows() const {
    const Timeline* timeline = session_.current_timeline();
    if (!state_.is_open || timeline == nullptr) return std::nullopt;
    WantedRows wanted{session_.devices[session_.device_index].current().made.timeline, state_.wanted};
    const auto& found = session_.highlight.allocations;
    const bool is_of_this = found != nullptr && found->allocation_count() == timeline->allocation_count();
    if (state_.only_hits && is_of_this) wanted.arrangement.among = found;
    return wanted;
}

void AllocationList::follow() {
    const std::optional<WantedRows> wanted = wanted_rows();
    if (arranging_.input() && (!wanted || wanted->timeline != arranging_.input()->timeline)) {
        arranging_.discard();
        state_.rows.reset();
        state_.arranged.reset();
    }
    if (!wanted) return;
    const bool has_ids = session_.current_kind() == ViewKind::allocations;
    const std::int64_t first_id =
        has_ids ? query::first_allocation_row(*session_.document->snapshot, session_.device_index) : 0;
    arranging_.follow(*wanted, 0, [rows = state_.rows, wanted = *wanted, first_id](Progress&) {
        ArrangedTable table{rows, nullptr, wanted.arrangement};
        if (rows == nullptr) table.rows = std::make_shared<const AllocationRows>(wanted.timeline, first_id);
        table.arranged = std::make_shared<const ArrangedRows>(arrange_rows(*table.rows, wanted.arrangement));
        return table;
    });
}

void AllocationList::update() {
    follow();
    if (std::optional<Result<ArrangedTable>> made = arranging_.take()) {
        if (!*made) {
            session_.notice = made->error().text();
        } else {
            ArrangedTable& table = **made;
            state_.rows = std::move(table.rows);
            state_.arranged = std::move(table.arranged);
            state_.shown = std::move(table.arrangement);
            has_new_rows_ = true;
        }
    }
    take_written();
}

void AllocationList::write(const std::string& path) {
    if (state_.arranged == nullptr) return;
    const std::uint64_t read_bytes = state_.rows->timeline().snapshot().read_bytes;
    const auto make = [rows = state_.rows, arranged = state_.arranged, columns = state_.columns, path](Progress&) {
        WrittenRows written{path, {}, arranged->ids.size()};
        if (path.empty())
            written.text = rows_as_tsv(*rows, arranged->ids, columns);
        else
            write_csv(*rows, arranged->ids, columns, path);
        return written;
    };
    if (path.empty())
        writing_.start(read_bytes, make);
    else
        writing_.start_writing(read_bytes, make);
}

/// Reports the table while it is open and has rows, else null.
void AllocationList::describe(nlohmann::json& report) const {
    JsonValue& table = report["table"] = nullptr;
    if (!state_.is_open || state_.arranged == nullptr) return;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(state_.arranged->ids.size(), k_reported_rows); ++i) {
        const AllocationId id{state_.arranged->ids[i]};
        rows.push_back({{"id", id.value},
                        {"size", state_.rows->timeline().trace().allocations.size_bytes[id.value]},
                        {"stack", state_.rows->shown(AllocationColumn::stack, id)}});
    }
    JsonValue columns = JsonValue::array();
    for (const AllocationColumnInfo& info : allocation_columns()) {
        if (state_.columns[static_cast<std::size_t>(info.column)]) columns.push_back(info.sql_name);
    }
    table = {{"rows", state_.arranged->ids.size()},
             {"bytes", state_.arranged->bytes},
             {"arranging", arranging_.is_busy()},
             {"sorted_by", info_of(state_.shown.sorted_by).sql_name},
             {"descending", state_.shown.is_descending},
             {"only_hits", state_.shown.among != nullptr},
             {"row", state_.row ? JsonValue(*state_.row) : JsonValue(nullptr)},
             {"columns", std::move(columns)},
             {"first_rows", std::move(rows)}};
}

}  // namespace snapviewer
