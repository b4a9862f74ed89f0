#include "app/features/details/frame_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/timeline/search_patterns.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_rules = 100;

}  // namespace

struct FrameRules::Rule {
    enum class Finds { expression, interpreter, framework };

    FrameLook look = FrameLook::folded;
    Finds finds = Finds::expression;
    std::optional<Expression> expression = {};

    bool fits(const StackLine& line) const {
        switch (finds) {
            case Finds::expression: return expression->is_in(line.full_text);
            case Finds::interpreter: return is_hidden_frame(line.file, line.function);
            case Finds::framework: return line.kind == FrameKind::framework;
        }
        return false;
    }

    /// Parses one rule. `line` must have no leading or trailing blanks.
    static Result<Rule> parse(std::string_view line) {
        const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
        const std::string_view verb = line.substr(0, space);
        const std::string what(trimmed(line.substr(space)));
        Rule rule;
        if (verb == "important")
            rule.look = FrameLook::important;
        else if (verb != "fold")
            return Error{ErrorCode::bad_query, "must begin with \"fold\" or \"important\""};
        if (what.empty()) return Error{ErrorCode::bad_query, "does not say what to look for"};
        if (what == "<interpreter>" || what == "<framework>") {
            rule.finds = what == "<interpreter>" ? Finds::interpreter : Finds::framework;
            return rule;
        }
        auto compiled = Expression::compile(what, Expression::Letters::either_case);
        if (!compiled) return compiled.error();
        rule.expression = *std::move(compiled);
        return rule;
    }
};

Result<FrameRules> FrameRules::parse(std::string_view text) {
    std::vector<Rule> rules;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#') continue;
        Result<Rule> rule = Rule::parse(line);
        if (!rule) return Error{rule.error().code, fmt::format("Line {} {}", number, rule.error().text())};
        if (rules.size() == k_most_rules)
            return Error{ErrorCode::bad_query, fmt::format("There are more than {} rules", k_most_rules)};
        rules.push_back(*std::move(rule));
    }
    return FrameRules(std::make_shared<const std::vector<Rule>>(std::move(rules)));
}

FrameLook FrameRules::look(const StackLine& line) const {
    FrameLook look = FrameLook::plain;
    if (rules_ == nullptr) return look;
    for (const Rule& rule : *rules_) {
        if (rule.look > look && rule.fits(line)) look = rule.look;
    }
    return look;
}

}  // namespace snapviewer
