#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/arguments.h"

namespace snapviewer {

/// Help text of --safe-csv, shared by several commands.
inline constexpr const char* k_safe_csv_about =
    "In CSV, put an apostrophe before texts that a spreadsheet would take for a formula: those that begin with = + - @, a "
    "tab or a line break";

/// Adds --log, which names the job's log. Shared by the commands that show who uses the card's memory.
void add_job_log(Arguments& arguments, std::string& into);
/// Converts the value of --part for OpenOptions::part.
std::uint32_t part_of(const std::optional<std::size_t>& part);

/// Parses a size: "80GiB" or "80G" in powers of 1024, "80GB" in powers of 1000, or plain bytes. Returns nullopt for any
/// other form and for values below 1 or above 1e18.
std::optional<std::uint64_t> parse_bytes(const std::string& text);
/// Parses a size as parse_bytes() does, or 0.
std::optional<std::uint64_t> parse_bytes_or_none(const std::string& text);
/// Parses a percentage such as "20%", from 0 to 1000.
std::optional<double> parse_percent(const std::string& text);
/// Parses a percentage as parse_percent() does; the percent sign may be missing.
std::optional<double> parse_share(const std::string& text);
/// Parses a duration such as "8h", "30m" or "90s", or 0.
std::optional<std::chrono::seconds> parse_duration(const std::string& text);
/// Parses an events.id, or -1 for the moment before the first event.
std::optional<std::int64_t> parse_event(const std::string& text);

/// Checks for ValueForm::check. Each returns an error text for a wrong value, otherwise "".
std::string is_bytes(const std::string& text);
std::string is_bytes_or_none(const std::string& text);
std::string is_share(const std::string& text);
/// Accepts a number of bytes, or a percentage with a percent sign.
std::string is_tolerance(const std::string& text);
std::string is_event(const std::string& text);
std::string is_row_limit(const std::string& text);
std::string is_time_limit(const std::string& text);
std::string is_duration(const std::string& text);

}  // namespace snapviewer
