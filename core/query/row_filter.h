#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/query/table.h"

struct sqlite3_value;

namespace snapviewer {

class QueryControl;

/// Comparisons that a table evaluates itself in C++, instead of leaving them to SQLite.
enum class ConstraintOperator : char {
    equal = '=',
    less = '<',
    at_most = 'l',
    greater = '>',
    at_least = 'g',
    null = 'n',
    not_null = 'N',
    like = '~',
    glob = '*',
};

/// A range of integers from low to high, both included; empty if low > high.
struct Interval {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    static Interval none() { return {1, 0}; }
    bool contains(std::int64_t value) const { return low <= value && value <= high; }
    bool is_single() const { return low == high; }
};

/// Returns the integers for which `comparison` with `value` holds, by SQLite's rules for an INTEGER column. `value` may have
/// any SQLite type.
Interval interval_of(ConstraintOperator comparison, sqlite3_value* value);

/// Tests which texts of a dictionary match a pattern. Tests each text once, on first use, and caches the result.
class TextMatch {
public:
    /// `control` interrupts the comparison of long texts; it must outlive this object.
    TextMatch(std::shared_ptr<Dictionary> dictionary, ConstraintOperator comparison, std::string pattern,
              QueryControl& control);

    bool is_for(const Dictionary& dictionary, ConstraintOperator comparison, const std::string& pattern) const {
        return dictionary_.get() == &dictionary && comparison_ == comparison && pattern_ == pattern;
    }
    /// True if the text of `code` matches. Also false if the query has to end.
    bool accepts(std::uint32_t code) {
        if (verdicts_[code] == Verdict::unknown) look_at(code);
        return verdicts_[code] == Verdict::yes;
    }

private:
    enum class Verdict : std::uint8_t { unknown, yes, no };
    void look_at(std::uint32_t code);
    bool matches(std::uint32_t code);

    std::shared_ptr<Dictionary> dictionary_;
    ConstraintOperator comparison_;
    std::string pattern_;
    QueryControl& control_;
    std::string scratch_;
    std::vector<Verdict> verdicts_;
};

/// The condition that one comparison imposes on the rows.
struct ColumnTest {
    const Column* column = nullptr;
    bool wants_null = false;                ///< If true, only NULL passes; otherwise NULL never passes
    Interval interval = {};                 ///< Values that pass, for an integer column
    std::shared_ptr<TextMatch> match = {};  ///< Texts that pass, for a text column; null lets every text pass

    /// Removes the rows that do not pass and keeps the order of the others. `values` is scratch space.
    void keep_accepted(std::vector<std::size_t>& rows, std::vector<std::optional<std::int64_t>>& values) const;

private:
    bool accepts_text(std::size_t row) const;
};

}  // namespace snapviewer
