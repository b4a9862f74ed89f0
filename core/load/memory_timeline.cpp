#include "core/load/memory_timeline.h"

#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_title = "<title>GPU Memory Timeline HTML</title>";
constexpr std::string_view k_spaces = " \t\r\n";

/// What comes behind `c`, if that comes next.
bool skip(std::string_view& text, char c) {
    const std::size_t first = text.find_first_not_of(k_spaces);
    if (first == text.npos || text[first] != c) return false;
    text.remove_prefix(first + 1);
    return true;
}

bool begins_with_number(std::string_view text) {
    skip(text, '-');
    const std::size_t first = text.find_first_not_of(k_spaces);
    return first != text.npos && text[first] >= '0' && text[first] <= '9';
}

}  // namespace

bool looks_like_memory_timeline(std::string_view front) {
    if (front.find(k_title) != front.npos) return true;
    return skip(front, '[') && skip(front, '[') && begins_with_number(front);
}

void fail_memory_timeline() {
    fail(
        "is what torch.profiler's export_memory_timeline writes: amounts of memory by category, without a single "
        "allocation; "
        "record with torch.cuda.memory._record_memory_history() and save with "
        "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") instead");
}

}  // namespace snapviewer
