#include "app/features/details/folded_stack.h"

#include <algorithm>

#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// Maximum length of a repeated cycle of calls, in items. Longer cycles are not detected.
constexpr std::size_t k_longest_cycle = 8;

std::vector<StackItem> items_of(const std::vector<FrameLook>& looks) {
    std::vector<StackItem> items;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const bool is_folded = looks[i] == FrameLook::folded;
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
        for (std::size_t length = 1; length <= k_longest_cycle && at + 2 * length <= items_.size(); ++length) {
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
    if (std::ranges::count(folded.looks, FrameLook::folded) == std::ssize(lines))
        folded.looks.assign(lines.size(), FrameLook::plain);
    folded.items = items_of(folded.looks);
    folded.parts = RepeatFinder(lines, folded.items).parts();
    const auto important = std::ranges::find(folded.looks, FrameLook::important);
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

}  // namespace snapviewer
