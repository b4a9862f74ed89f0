#include "core/timeline/search.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/trace/allocation_metadata.h"

namespace snapviewer {
namespace {

/// Implements contains_pattern(). Precondition: both texts are in lower case.
bool contains_in_order(std::string_view text, std::string_view pattern) {
    std::size_t from = 0;
    while (true) {
        const std::size_t end = pattern.find('%');
        const std::string_view part = pattern.substr(0, end);
        const std::size_t found = text.find(part, from);
        if (found == text.npos) return false;
        if (end == pattern.npos) return true;
        from = found + part.size();
        pattern.remove_prefix(end + 1);
    }
}

/// Returns a flag for each stack: true if one of its frames contains the pattern. Precondition: the pattern is in lower
/// case.
std::vector<bool> matching_stacks(const Snapshot& snapshot, std::string_view pattern) {
    const StackTable& stacks = snapshot.stacks;
    std::vector<bool> frame_matches(stacks.frame_count());
    for (std::uint32_t i = 0; i < frame_matches.size(); ++i) {
        frame_matches[i] = contains_in_order(lower_case(frame_text(snapshot.strings, stacks.frame(FrameId{i}))), pattern);
    }
    std::vector<bool> stack_matches(stacks.stack_count());
    for (std::uint32_t i = 0; i < stack_matches.size(); ++i) {
        stack_matches[i] =
            std::ranges::any_of(stacks.stack(StackId{i}), [&](FrameId frame) { return frame_matches[frame.value]; });
    }
    return stack_matches;
}

/// Returns a flag for each metadata entry: true if its text contains the pattern. Checks each text once, even if many
/// entries share it.
std::vector<bool> matching_metadata(const Snapshot& snapshot, std::string_view pattern) {
    std::unordered_map<std::uint32_t, bool> known;
    std::vector<bool> matches;
    matches.reserve(snapshot.metadata.size());
    for (const EventMetadata& metadata : snapshot.metadata) {
        const auto [text, is_new] = known.try_emplace(metadata.user_metadata.value);
        if (is_new) text->second = contains_in_order(lower_case(snapshot.strings.view(metadata.user_metadata)), pattern);
        matches.push_back(text->second);
    }
    return matches;
}

template <typename Key>
bool is_marked(const std::vector<bool>& marks, Key id) {
    return id.is_some() && marks[id.value];
}

}  // namespace

bool contains_pattern(std::string_view text, std::string_view pattern) {
    return contains_in_order(lower_case(text), lower_case(pattern));
}

Emphasis find_text(const Timeline& timeline, std::string_view text) {
    const Snapshot& snapshot = timeline.snapshot();
    const DeviceTrace& trace = timeline.trace();
    const AllocationColumns& allocations = trace.allocations;
    const std::string pattern = lower_case(trimmed(text));
    if (pattern.empty()) return Emphasis(allocations.size());

    const std::vector<bool> stacks = matching_stacks(snapshot, pattern);
    const std::vector<bool> metadata = matching_metadata(snapshot, pattern);
    const std::optional<std::uint64_t> address = parse_address(pattern);
    const auto has_metadata = [&](AllocationId id) {
        const auto is_found = [&](const AllocationNote& note) {
            return is_marked(metadata, trace.events.metadata[note.event.value]);
        };
        return is_marked(metadata, metadata_of(trace, id)) || std::ranges::any_of(notes_of(trace, id), is_found);
    };
    // Files without addresses have 0 everywhere, which must not match small numbers.
    const auto holds_address = [&](AllocationId id) {
        const std::uint64_t begin = allocations.address[id.value];
        return begin != 0 && *address >= begin &&
               *address - begin < std::max<std::uint64_t>(allocations.size_bytes[id.value], 1);
    };
    return Emphasis::where(allocations.size(), [&](AllocationId id) {
        return is_marked(stacks, allocations.stack[id.value]) || (!metadata.empty() && has_metadata(id)) ||
               (address && holds_address(id));
    });
}

}  // namespace snapviewer
