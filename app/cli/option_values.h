#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/arguments.h"

namespace snapviewer {

/// Help text of --safe-csv, which several commands have.
inline constexpr const char* k_safe_csv_about =
    "In CSV, put an apostrophe before texts that a spreadsheet would take for a formula: those that begin with = + - @, a "
    "tab or a line break";

/// --log, of all commands that tell whose the memory of the card is.
void add_job_log(Arguments& arguments, std::string& into);
/// The value of --part for OpenOptions.
std::uint32_t part_of(const std::optional<std::size_t>& part);

/// "80GiB" or "80G" in powers of 1024, "80GB" in powers of 1000, or plain bytes; nullopt for any other form, below 1 and
/// above 1e18.
std::optional<std::uint64_t> parse_bytes(const std::string& text);
/// Accepts 0 in addition to the values of parse_bytes().
std::optional<std::uint64_t> parse_bytes_or_none(const std::string& text);
/// "20%": from 0 to 1000.
std::optional<double> parse_percent(const std::string& text);
/// Accepts the values of parse_percent() with or without the percent sign.
std::optional<double> parse_share(const std::string& text);
/// "8h", "30m", "90s", or 0.
std::optional<std::chrono::seconds> parse_duration(const std::string& text);
/// -1 or more.
std::optional<std::int64_t> parse_event(const std::string& text);

/// Checks for the command line. Each returns an error text for a wrong value, otherwise "".
std::string is_bytes(const std::string& text);
std::string is_bytes_or_none(const std::string& text);
std::string is_share(const std::string& text);
/// A number of bytes, or per cent with their sign.
std::string is_tolerance(const std::string& text);
std::string is_event(const std::string& text);
std::string is_row_limit(const std::string& text);
std::string is_time_limit(const std::string& text);
std::string is_duration(const std::string& text);

}  // namespace snapviewer
