#include "app/features/details/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/timeline/search.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::details {
namespace {

constexpr std::size_t k_max_rules = 100;

}  // namespace

struct FrameRules::Rule {
    enum class Finds { expression, interpreter, framework };

    FrameDisplay look = FrameDisplay::folded;
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
            rule.look = FrameDisplay::important;
        else if (verb != "fold")
            return Error{ErrorCode::bad_query, "must begin with \"fold\" or \"important\""};
        if (what.empty()) return Error{ErrorCode::bad_query, "does not say what to look for"};
        if (what == "<interpreter>" || what == "<framework>") {
            rule.finds = what == "<interpreter>" ? Finds::interpreter : Finds::framework;
            return rule;
        }
        auto compiled = Expression::compile(what, Expression::Letters::ignore_case);
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
        if (rules.size() == k_max_rules)
            return Error{ErrorCode::bad_query, fmt::format("There are more than {} rules", k_max_rules)};
        rules.push_back(*std::move(rule));
    }
    return FrameRules(std::make_shared<const std::vector<Rule>>(std::move(rules)));
}

FrameDisplay FrameRules::look(const StackLine& line) const {
    FrameDisplay look = FrameDisplay::plain;
    if (rules_ == nullptr) return look;
    for (const Rule& rule : *rules_) {
        if (rule.look > look && rule.fits(line)) look = rule.look;
    }
    return look;
}

namespace {

/// Maximum length of a repeated cycle of calls, in items. Longer cycles are not detected.
constexpr std::size_t k_max_cycle = 8;

std::vector<StackItem> items_of(const std::vector<FrameDisplay>& looks) {
    std::vector<StackItem> items;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const bool is_folded = looks[i] == FrameDisplay::folded;
        if (is_folded && !items.empty() && items.back().is_folded)
            items.back().end = i + 1;
        else
            items.push_back({i, i + 1, is_folded});
    }
    return items;
}

class RepeatFinder {
public:
    RepeatFinder(const std::vector<StackLine>& lines, const std::vector<StackItem>& items) : lines_(lines), items_(items) {}

    std::vector<StackPart> parts() const {
        std::vector<StackPart> parts;
        bool was_once = false;
        for (std::size_t at = 0; at < items_.size();) {
            const StackPart part = longest_at(at);
            if (part.times == 1 && was_once)
                parts.back().end = part.end;
            else
                parts.push_back(part);
            was_once = part.times == 1;
            at += (part.end - part.begin) * part.times;
        }
        return parts;
    }

private:
    bool are_equal(const StackItem& a, const StackItem& b) const {
        const auto line = [&](std::size_t i) { return lines_.begin() + static_cast<std::ptrdiff_t>(i); };
        return a.is_folded == b.is_folded &&
               std::equal(line(a.begin), line(a.end), line(b.begin), line(b.end),
                          [](const StackLine& x, const StackLine& y) { return x.full_text == y.full_text && x.fx == y.fx; });
    }

    std::size_t times_of(std::size_t at, std::size_t length) const {
        std::size_t times = 1;
        for (std::size_t next = at + length; next + length <= items_.size(); next += length, ++times) {
            for (std::size_t i = 0; i < length; ++i) {
                if (!are_equal(items_[at + i], items_[next + i])) return times;
            }
        }
        return times;
    }

    /// The repetition that starts at item `at` and covers the most items; the shortest cycle if several cover the same.
    StackPart longest_at(std::size_t at) const {
        StackPart best{at, at + 1, 1};
        std::size_t covered = 1;
        for (std::size_t length = 1; length <= k_max_cycle && at + 2 * length <= items_.size(); ++length) {
            const std::size_t times = times_of(at, length);
            if (times == 1 || times * length <= covered) continue;
            best = {at, at + length, times};
            covered = times * length;
        }
        return best;
    }

    const std::vector<StackLine>& lines_;
    const std::vector<StackItem>& items_;
};

}  // namespace

FoldedStack fold_stack(const std::vector<StackLine>& lines, const FrameRules& rules) {
    FoldedStack folded;
    for (const StackLine& line : lines) folded.looks.push_back(rules.look(line));
    if (std::ranges::count(folded.looks, FrameDisplay::folded) == std::ssize(lines))
        folded.looks.assign(lines.size(), FrameDisplay::plain);
    folded.items = items_of(folded.looks);
    folded.parts = RepeatFinder(lines, folded.items).parts();
    const auto important = std::ranges::find(folded.looks, FrameDisplay::important);
    const auto own = std::ranges::find(lines, FrameKind::top_user, &StackLine::kind);
    if (important != folded.looks.end())
        folded.headline = static_cast<std::size_t>(important - folded.looks.begin());
    else if (own != lines.end())
        folded.headline = static_cast<std::size_t>(own - lines.begin());
    return folded;
}

std::size_t line_for(const std::vector<StackLine>& lines, const StackItem& folded) {
    for (std::size_t i = folded.begin; i < folded.end; ++i) {
        if (is_python_file(lines[i].file)) return i;
    }
    return folded.begin;
}

}  // namespace snapviewer::details
