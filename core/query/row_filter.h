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

/// Comparisons a table makes itself, row by row in C++, instead of leaving them to SQLite.
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

/// Integers from low to high, both included; empty when low > high.
struct Interval {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    static Interval none() { return {1, 0}; }
    bool contains(std::int64_t value) const { return low <= value && value <= high; }
    bool is_single() const { return low == high; }
};

/// The integers that `comparison` with a value of any SQLite type allows, by SQLite's rules for an INTEGER column.
Interval interval_of(ConstraintOperator comparison, sqlite3_value* value);

/// Which texts of a dictionary match; each is looked at once, when first met.
class TextMatch {
public:
    /// `control` ends a comparison of long texts; it lives as long as this.
    TextMatch(std::shared_ptr<Dictionary> dictionary, ConstraintOperator comparison, std::string pattern,
              QueryControl& control);

    bool is_for(const Dictionary& dictionary, ConstraintOperator comparison, const std::string& pattern) const {
        return dictionary_.get() == &dictionary && comparison_ == comparison && pattern_ == pattern;
    }
    /// False, too, when the query has to end.
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

/// What one comparison demands of a row.
struct ColumnTest {
    const Column* column = nullptr;
    bool wants_null = false;                ///< only NULL passes; otherwise NULL never does
    Interval interval = {};                 ///< of integer columns
    std::shared_ptr<TextMatch> match = {};  ///< of text columns; none: any text passes

    /// Leaves of some rows those that pass, in their order. `values` is scratch.
    void keep_accepted(std::vector<std::size_t>& rows, std::vector<std::optional<std::int64_t>>& values) const;

private:
    bool accepts_text(std::size_t row) const;
};

}  // namespace snapviewer
