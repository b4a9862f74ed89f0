#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/fleet/fleet.h"
#include "core/query/database.h"

namespace snapviewer {

/// A table of a fleet database. Its first columns identify the rank that a row belongs to.
struct FleetTable {
    const char* name;
    std::string_view columns;  ///< column names and types, in the syntax of CREATE TABLE
};

inline constexpr FleetTable k_ranks_table = {
    "ranks",
    "run TEXT, rank INTEGER, host TEXT, device INTEGER, file TEXT, file_bytes INTEGER, events INTEGER, peak_bytes INTEGER, "
    "peak_step INTEGER, peak_time_us INTEGER, reserved_peak_bytes INTEGER, capacity_bytes INTEGER, oom_cause TEXT, "
    "wrapped INTEGER, settings_json TEXT, error TEXT, rank_from TEXT"};
inline constexpr FleetTable k_peak_stacks_table = {
    "peak_stacks", "run TEXT, rank INTEGER, device INTEGER, stack_key TEXT, bytes INTEGER, count INTEGER"};
inline constexpr FleetTable k_step_stacks_table = {
    "step_stacks",
    "run TEXT, rank INTEGER, device INTEGER, training_step INTEGER, stack_key TEXT, allocated_bytes INTEGER, "
    "left_bytes INTEGER"};
inline constexpr FleetTable k_stacks_table = {"stacks", "run TEXT, stack_key TEXT, text TEXT, top_frame TEXT"};
inline constexpr FleetTable k_growth_table = {
    "growth",
    "run TEXT, rank INTEGER, device INTEGER, stack_key TEXT, source TEXT, state TEXT, slope REAL, grown_bytes INTEGER"};
inline constexpr FleetTable k_totals_table = {"totals",
                                              "run TEXT, rank INTEGER, device INTEGER, step INTEGER, time_us INTEGER, "
                                              "allocated_bytes INTEGER, reserved_bytes INTEGER, training_step INTEGER"};
inline constexpr FleetTable k_peak_modules_table = {
    "peak_modules", "run TEXT, rank INTEGER, device INTEGER, module TEXT, bytes INTEGER, count INTEGER"};
inline constexpr std::array k_fleet_tables = {k_ranks_table,  k_peak_stacks_table, k_step_stacks_table, k_stacks_table,
                                              k_growth_table, k_totals_table,      k_peak_modules_table};

/// Parses the column names from FleetTable::columns.
std::vector<std::string> column_names(const FleetTable& table);

/// The cells of a row of `ranks`, one per column.
std::vector<Cell> rank_cells(const RankRow& row);

}  // namespace snapviewer
