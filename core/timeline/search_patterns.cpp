#include "core/timeline/search_patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

std::string why_not(const re2::RE2& compiled) {
    switch (compiled.error_code()) {
        case re2::RE2::ErrorRepeatSize:
        case re2::RE2::ErrorPatternTooLarge: return "repeats too many times";
        default: return "is not a regular expression: " + compiled.error();
    }
}

}  // namespace

Result<Expression> Expression::compile(std::string_view text, Letters letters) {
    if (text.size() > k_max_pattern_bytes)
        return Error{ErrorCode::bad_query, "is longer than " + std::to_string(k_max_pattern_bytes) + " characters"};
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(letters == Letters::exact);
    auto compiled = std::make_shared<const re2::RE2>(std::string(text), options);
    if (!compiled->ok()) return Error{ErrorCode::bad_query, why_not(*compiled)};
    if (compiled->ProgramSize() > k_max_instructions) return Error{ErrorCode::bad_query, "repeats too many times"};
    return Expression(std::move(compiled));
}

bool Expression::is_too_expensive_for(std::string_view text) const {
    return text.size() > k_max_work / static_cast<std::size_t>(compiled_->ProgramSize());
}

bool Expression::is_in(std::string_view text) const {
    return !is_too_expensive_for(text) && re2::RE2::PartialMatch({text.data(), text.size()}, *compiled_);
}

namespace {

constexpr std::uint64_t k_max_number = std::numeric_limits<std::uint64_t>::max();

using NamedUnit = std::pair<std::string_view, std::uint64_t>;

constexpr std::array k_duration_units = {NamedUnit{"us", 1}, NamedUnit{"ms", 1000}, NamedUnit{"s", 1'000'000},
                                         NamedUnit{"min", 60'000'000}};

std::string_view trim_blanks(std::string_view text) {
    constexpr std::string_view k_blanks = " \t";
    const std::size_t begin = text.find_first_not_of(k_blanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(k_blanks) - begin + 1);
}

std::optional<std::uint64_t> unit_of(std::string_view name, Measure measure) {
    const std::string lower = lower_case(name);
    if (lower.empty()) return 1;
    if (measure == Measure::count) return std::nullopt;
    if (measure == Measure::duration) {
        const auto found = std::ranges::find(k_duration_units, lower, &NamedUnit::first);
        return found == k_duration_units.end() ? std::nullopt : std::optional(found->second);
    }
    if (lower == "b") return 1;
    const std::size_t power = std::string_view("kmgt").find(lower.front());
    const std::string_view rest = std::string_view(lower).substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) return std::nullopt;
    return std::uint64_t{1} << 10 * (power + 1);
}

/// A parsed number, rounded down and rounded up to integers; both are equal if it is an integer.
struct RoundedNumber {
    std::uint64_t floor = 0, ceiling = 0;
};

std::optional<RoundedNumber> parse_value(std::string_view text, Measure measure) {
    text = trim_blanks(text);
    if (measure == Measure::count && (text.starts_with("0x") || text.starts_with("0X"))) {
        const auto whole = parse_number<std::uint64_t>(text.substr(2), 16);
        return whole ? std::optional(RoundedNumber{*whole, *whole}) : std::nullopt;
    }
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::optional<std::uint64_t> unit = unit_of(trim_blanks(text.substr(digits)), measure);
    if (!unit) return std::nullopt;
    // Integers are parsed as integers, because an address has more digits than a double can hold.
    const auto whole = parse_number<std::uint64_t>(text.substr(0, digits));
    if (whole && *whole <= k_max_number / *unit) return RoundedNumber{*whole * *unit, *whole * *unit};
    const auto real = parse_number<double>(text.substr(0, digits));
    if (!real) return std::nullopt;
    const double number = *real * static_cast<double>(*unit);
    constexpr double k_beyond = 18446744073709551616.0;  // 2^64
    if (std::ceil(number) >= k_beyond) return std::nullopt;
    return RoundedNumber{static_cast<std::uint64_t>(std::floor(number)), static_cast<std::uint64_t>(std::ceil(number))};
}

constexpr NumberRange k_no_number{1, 0};

NumberRange above(std::uint64_t number) {
    return number == k_max_number ? k_no_number : NumberRange{number + 1, k_max_number};
}
NumberRange below(std::uint64_t number) { return number == 0 ? k_no_number : NumberRange{0, number - 1}; }

}  // namespace

std::optional<NumberRange> parse_number_range(std::string_view text, Measure measure) {
    text = trim_blanks(text);
    const auto value_after = [&](std::size_t length) { return parse_value(text.substr(length), measure); };
    const auto range = [](const std::optional<RoundedNumber>& value, auto make) {
        return value ? std::optional<NumberRange>(make(*value)) : std::nullopt;
    };
    if (text.starts_with(">="))
        return range(value_after(2), [](RoundedNumber value) { return NumberRange{value.ceiling, k_max_number}; });
    if (text.starts_with("<="))
        return range(value_after(2), [](RoundedNumber value) { return NumberRange{0, value.floor}; });
    if (text.starts_with(">")) return range(value_after(1), [](RoundedNumber value) { return above(value.floor); });
    if (text.starts_with("<")) return range(value_after(1), [](RoundedNumber value) { return below(value.ceiling); });
    const auto exactly = [](RoundedNumber value) { return NumberRange{value.ceiling, value.floor}; };
    if (text.starts_with("=")) return range(value_after(1), exactly);
    const std::size_t dots = text.find("..");
    if (dots == text.npos) return range(value_after(0), exactly);
    const std::optional<RoundedNumber> low = parse_value(text.substr(0, dots), measure);
    const std::optional<RoundedNumber> high = parse_value(text.substr(dots + 2), measure);
    if (!low || !high) return std::nullopt;
    return NumberRange{low->ceiling, high->floor};
}

}  // namespace snapviewer
