#include "core/query/group_plan.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

#include "core/query/virtual_table.h"

namespace snapviewer {
namespace {

using Use = GroupRead::Use;

std::optional<Use> use_of(const std::string& function) {
    if (function == "sum(1)") return Use::sum;
    if (function == "min(1)") return Use::min;
    return function == "max(1)" ? std::optional(Use::max) : std::nullopt;
}

/// Goes over the instructions of a loop, one after the other.
class LoopReader {
public:
    explicit LoopReader(const LoopProgram& program)
        : rest_(std::span(program.all).subspan(program.filter + 1, program.next - program.filter - 1)),
          cursor_(program.cursor()) {}

    bool at_end() const { return rest_.empty(); }
    bool take(std::string_view name) {
        if (at_end() || rest_.front().name != name) return false;
        rest_ = rest_.subspan(1);
        return true;
    }

    /// Where a new key differs from the one before, what was added up so far goes on its way.
    bool take_key(GroupPlan& plan) {
        if (rest_.size() < 2 || rest_[1].name != "Compare") return true;
        const auto [column, target] = column_read(rest_[0], cursor_);
        if (target != rest_[1].p2 || rest_[1].p3 != 1 || column == k_row_number) return false;
        plan.key = column;
        plan.reads.push_back({Use::key, column});
        rest_ = rest_.subspan(2);
        return take("Jump") && take("Move") && take("Gosub") && take("IfPos") && take("Gosub");
    }

    bool take_function(GroupPlan& plan) {
        const bool has_order = rest_.size() > 2 && rest_[1].name == "CollSeq";  // of texts
        const std::size_t count = has_order ? 3 : 2;
        if (rest_.size() < count || rest_[count - 1].name != "AggStep") return false;
        const auto [column, target] = column_read(rest_[0], cursor_);
        const std::optional<Use> use = use_of(rest_[count - 1].p4);
        if (!use || target != rest_[count - 1].p2 || target < 0) return false;
        plan.reads.push_back({*use, column});
        rest_ = rest_.subspan(count);
        return true;
    }

    /// The key is handed over together with the values, read from the first row of a group.
    bool take_shown_keys(GroupPlan& plan) {
        if (plan.key < 0) return true;
        take("If");
        while (!at_end() && column_read(rest_[0], cursor_).target >= 0) {
            if (column_read(rest_[0], cursor_).column != plan.key) return false;
            plan.reads.push_back({Use::key, plan.key});
            rest_ = rest_.subspan(1);
        }
        return take("Integer");
    }

private:
    std::span<const Instruction> rest_;
    int cursor_;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0; }

/// The end of what begins at a place of SQL: a text, a comment, a name, or one character.
std::size_t end_of_token(std::string_view sql, std::size_t at) {
    const auto behind = [&sql](std::size_t found, std::size_t length) {
        return found == std::string_view::npos ? sql.size() : found + length;
    };
    const char c = sql[at];
    if (c == '\'' || c == '"' || c == '`') return behind(sql.find(c, at + 1), 1);
    if (c == '[') return behind(sql.find(']', at + 1), 1);
    if (sql.substr(at, 2) == "--") return behind(sql.find('\n', at), 1);
    if (sql.substr(at, 2) == "/*") return behind(sql.find("*/", at + 2), 2);
    std::size_t end = at + 1;
    while (is_word(c) && end < sql.size() && is_word(sql[end])) ++end;
    return end;
}

bool equal_but_for_case(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool is_count(std::string_view name) { return std::ranges::equal(name, std::string_view("count"), equal_but_for_case); }

}  // namespace

GroupPlan group_plan(const LoopProgram& program) {
    if (program.all.empty()) return {};
    const std::span all = program.all;
    const auto reads_row = [&program](const Instruction& each) { return column_read(each, program.cursor()).target >= 0; };
    const auto in_loop = all.subspan(program.filter + 1, program.next - program.filter - 1);
    if (std::ranges::count_if(all, reads_row) != std::ranges::count_if(in_loop, reads_row)) return {};
    GroupPlan plan;
    LoopReader loop(program);
    if (!loop.take_key(plan)) return {};
    bool adds_up = false;
    while (loop.take_function(plan)) adds_up = true;
    return adds_up && loop.take_shown_keys(plan) && loop.at_end() ? plan : GroupPlan();
}

std::string counting_by_sum(std::string_view sql) {
    // Who uses that name may have given it to something else.
    if (!std::ranges::search(sql, k_group_rows_column, equal_but_for_case).empty()) return std::string(sql);
    std::string changed;
    std::size_t at = 0;
    // The places behind the last tokens of "count ( *" that were met, one after another.
    std::size_t matched = 0, name_at = 0;
    while (at < sql.size()) {
        const std::size_t end = end_of_token(sql, at);
        const std::string_view token = sql.substr(at, end - at);
        const bool is_space = token.size() == 1 && std::isspace(static_cast<unsigned char>(token[0])) != 0;
        if (is_count(token)) {
            matched = 1;
            name_at = changed.size();
        } else if (!is_space) {
            constexpr std::string_view k_behind_name = "(*)";
            matched = matched > 0 && token == k_behind_name.substr(matched - 1, 1) ? matched + 1 : 0;
        }
        changed += token;
        if (matched == 4) {
            changed.resize(name_at);
            changed.append("coalesce(sum(").append(k_group_rows_column).append("), 0)");
            matched = 0;
        }
        at = end;
    }
    return changed;
}

}  // namespace snapviewer
