#include "core/load/profilers/memscope/stacks.h"

#include <algorithm>
#include <optional>

#include "core/base/number_text.h"

namespace snapviewer::memscope {
namespace {

/// Maximum size of the cache of stack texts. The stacks themselves are interned and not affected.
constexpr std::size_t k_known_bytes = std::size_t{64} << 20;

}  // namespace

StackLine stack_line(std::string_view text) {
    if (const std::size_t colon = text.rfind("): "); colon != text.npos) {
        const std::size_t open = text.rfind('(', colon);
        if (open != text.npos) {
            if (const auto line = parse_number<std::uint32_t>(text.substr(open + 1, colon - open - 1)))
                return {text.substr(0, open), text.substr(colon + 3), *line};
        }
    }
    if (const std::size_t address = text.rfind(") ["); address != text.npos && text.ends_with(']')) {
        if (const std::size_t open = text.find('('); open < address)
            return {text.substr(0, open), text.substr(open + 1, address - open - 1), 0};
    }
    return {"", text, 0};
}

std::vector<std::string_view> stack_lines(std::string_view text) {
    if (text.starts_with('"')) text.remove_prefix(1);
    if (text.ends_with('"')) text.remove_suffix(1);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty()) lines.push_back(line);
    }
    if (lines.size() == 1 && lines.front() == "N/A") lines.clear();
    return lines;
}

StackId StackTexts::intern(std::string_view text) {
    if (text.empty()) return StackId::none();
    if (const auto known = known_.find(text); known != known_.end()) return known->second;
    frames_.clear();
    for (const std::string_view line : stack_lines(text)) {
        const StackLine parts = stack_line(line);
        const StringId file = snapshot_.strings.intern(parts.file);
        frames_.push_back(snapshot_.stacks.intern_frame({file, snapshot_.strings.intern(parts.function), parts.line}));
    }
    const StackId stack = frames_.empty() ? StackId::none() : snapshot_.stacks.intern_stack(frames_);
    known_bytes_ += text.size();
    if (known_bytes_ > k_known_bytes) {
        known_.clear();
        known_bytes_ = text.size();
    }
    known_.emplace(text, stack);
    return stack;
}

}  // namespace snapviewer::memscope
