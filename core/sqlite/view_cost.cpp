#include "core/sqlite/view_cost.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_most_cost = std::uint64_t{1} << 40;  // where sums stop growing
constexpr std::size_t k_deepest = 200;                         // views in views; SQLite itself would run out of stack

using Costs = std::map<std::string, std::uint64_t, std::less<>>;

/// A name, in whatever quotes, or one other character.
struct Token {
    bool is_name = false;
    std::string text;  ///< of a name, in small letters
    char mark = 0;     ///< otherwise
};

bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$' || (c & 0x80) != 0; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

/// The tokens of a statement, one after the other: none is kept, so that a long text takes no memory.
class Tokens {
public:
    explicit Tokens(std::string_view sql) : sql_(sql) {}

    std::optional<Token> next() {
        skip_space();
        if (at_ >= sql_.size()) return std::nullopt;
        const char c = sql_[at_];
        const char close = c == '[' ? ']' : c == '"' || c == '\'' || c == '`' ? c : '\0';
        if (close != '\0') return quoted(close);
        if (!is_of_name(c)) {
            ++at_;
            return Token{false, {}, c};
        }
        const std::size_t begin = at_;
        while (at_ < sql_.size() && is_of_name(sql_[at_])) ++at_;
        return Token{true, lower_case(sql_.substr(begin, at_ - begin)), 0};
    }

private:
    /// Also past comments.
    void skip_space() {
        while (at_ < sql_.size()) {
            const std::string_view rest = sql_.substr(at_);
            if (rest.starts_with("--")) {
                at_ = std::min(sql_.find('\n', at_), sql_.size());
            } else if (rest.starts_with("/*")) {
                const std::size_t end = sql_.find("*/", at_ + 2);
                at_ = end == sql_.npos ? sql_.size() : end + 2;
            } else if (is_space(sql_[at_])) {
                ++at_;
            } else {
                return;
            }
        }
    }

    Token quoted(char close) {
        std::string text;
        for (++at_; at_ < sql_.size(); ++at_) {
            if (sql_[at_] == close) {
                const bool is_doubled = close != ']' && at_ + 1 < sql_.size() && sql_[at_ + 1] == close;
                if (!is_doubled) break;
                ++at_;
            }
            text += sql_[at_];
        }
        ++at_;
        return {true, lower_case(text), 0};
    }

    std::string_view sql_;
    std::size_t at_ = 0;
};

/// Finds where a part of WITH begins, as tokens pass: at the bracket of "name AS (" or "name (columns) AS (", likewise with
/// MATERIALIZED and NOT MATERIALIZED.
class PartFinder {
public:
    /// To be told of every name and every mark in turn.
    void pass_name(const std::string& name) {
        if (name == "as") {
            part_ = before_as_;
            is_after_as_ = true;
        } else if (name != "not" && name != "materialized") {
            is_after_as_ = false;
        }
        before_as_ = name;
    }
    /// The part whose text an opening bracket begins; "" where it is none.
    std::string open() {
        std::string part = std::exchange(is_after_as_, false) ? std::move(part_) : std::string();
        before_bracket_ = std::exchange(before_as_, {});
        return part;
    }
    void close() {
        is_after_as_ = false;
        before_as_ = std::exchange(before_bracket_, {});  // what stands before columns is named by AS, too
    }
    void pass_mark() {
        is_after_as_ = false;
        before_as_.clear();
    }

private:
    std::string part_;            ///< what the newest AS names
    std::string before_as_;       ///< what an AS right here would name
    std::string before_bracket_;  ///< the name before the newest bracket, until one is closed
    bool is_after_as_ = false;
};

class ViewCosts {
public:
    explicit ViewCosts(std::span<const ViewText> views) : views_(views), states_(views.size()) {
        for (std::size_t i = 0; i < views.size(); ++i) numbers_.emplace(lower_case(views[i].name), i);
    }

    std::uint64_t of(std::size_t number, std::size_t depth = 0) {
        State& state = states_[number];
        if (state.cost > 0) return state.cost;
        if (state.is_open) return 1;  // in a circle, which SQLite refuses
        if (depth >= k_deepest) return k_most_cost;
        state.is_open = true;
        const std::uint64_t cost = of_text(views_[number].sql, depth);
        state.is_open = false;
        return states_[number].cost = cost;
    }

private:
    struct State {
        std::uint64_t cost = 0;  ///< 0: not known yet
        bool is_open = false;
    };
    /// Of a bracket that is open.
    struct Level {
        std::string part;  ///< of WITH, whose text it is; else empty
        std::uint64_t cost = 0;
    };

    std::uint64_t of_text(std::string_view sql, std::size_t depth) {
        Costs parts;
        PartFinder part_finder;
        std::vector<Level> levels{{{}, 1}};
        Tokens tokens(sql);
        while (const std::optional<Token> token = tokens.next()) {
            if (token->is_name) {
                add(levels.back().cost, cost_of_name(token->text, parts, depth));
                part_finder.pass_name(token->text);
            } else if (token->mark == '(') {
                levels.push_back({part_finder.open(), 0});
            } else if (token->mark == ')') {
                part_finder.close();
                if (levels.size() > 1) close(levels, parts);
            } else {
                part_finder.pass_mark();
            }
        }
        std::uint64_t cost = 0;
        for (const Level& level : levels) add(cost, level.cost);
        return cost;
    }

    static void close(std::vector<Level>& levels, Costs& parts) {
        const Level done = std::move(levels.back());
        levels.pop_back();
        if (done.part.empty()) {
            add(levels.back().cost, done.cost);
            return;
        }
        std::uint64_t& cost = parts[done.part];
        cost = std::max(cost, done.cost + 1);
    }

    std::uint64_t cost_of_name(const std::string& name, const Costs& parts, std::size_t depth) {
        if (const auto part = parts.find(name); part != parts.end()) return part->second;
        const auto view = numbers_.find(name);
        if (view != numbers_.end()) return of(view->second, depth + 1);
        return name == "select" || name == "values" ? 1 : 0;
    }

    static void add(std::uint64_t& sum, std::uint64_t cost) { sum = std::min(k_most_cost, sum + cost); }

    std::span<const ViewText> views_;
    std::vector<State> states_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
};

}  // namespace

std::vector<std::uint64_t> view_costs(std::span<const ViewText> views) {
    ViewCosts costs(views);
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < views.size(); ++i) all.push_back(costs.of(i));
    return all;
}

}  // namespace snapviewer
