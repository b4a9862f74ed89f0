#include "core/fleet/fleet_tables.h"

#include <algorithm>

namespace snapviewer {
namespace {

Cell amount(std::uint64_t value) { return static_cast<std::int64_t>(value); }
Cell known_amount(const std::optional<std::uint64_t>& value) { return value ? amount(*value) : Cell(); }
Cell known_number(const std::optional<std::int64_t>& value) { return value ? Cell(*value) : Cell(); }
Cell known_text(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

}  // namespace

std::vector<std::string> column_names(const FleetTable& table) {
    std::vector<std::string> names;
    for (std::string_view rest = table.columns; !rest.empty();) {
        names.emplace_back(rest.substr(0, rest.find(' ')));
        rest.remove_prefix(std::min(rest.size(), rest.find(',')));
        rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(", ")));
    }
    return names;
}

std::vector<Cell> rank_cells(const RankRow& row) {
    const bool is_read = row.error.empty();
    return {row.run,
            row.rank,
            known_text(row.host),
            known_number(row.device),
            row.file,
            amount(row.file_bytes),
            is_read ? amount(row.events) : Cell(),
            known_amount(row.peak_bytes),
            known_amount(row.peak_step),
            known_number(row.peak_time_us),
            known_amount(row.reserved_peak_bytes),
            known_amount(row.capacity_bytes),
            known_text(row.oom_cause),
            is_read ? Cell(std::int64_t{row.wrapped ? 1 : 0}) : Cell(),
            known_text(row.settings_json),
            known_text(row.error),
            std::string(rank_source_name(row.rank_from))};
}

}  // namespace snapviewer
