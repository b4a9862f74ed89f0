#include "core/trace/annotations.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <set>
#include <unordered_map>

namespace snapviewer {

std::span<const AllocationNote> notes_of(const DeviceTrace& trace, AllocationId id) {
    return std::ranges::equal_range(trace.notes, id, {}, &AllocationNote::allocation);
}

std::string_view note_text(const Snapshot& snapshot, const DeviceTrace& trace, const AllocationNote& note) {
    const MetadataId metadata = trace.events.metadata[note.event.value];
    return metadata.is_some() ? snapshot.strings.view(snapshot.metadata[metadata.value].user_metadata) : std::string_view();
}

StringId notes_text_of(const DeviceTrace& trace, AllocationId id) {
    const auto found = std::ranges::lower_bound(trace.note_texts, id, {}, &AllocationNotesText::allocation);
    return found != trace.note_texts.end() && found->allocation == id ? found->text : StringId::none();
}

InternalAllocations::InternalAllocations(const Snapshot& snapshot) {
    const StringId tag = snapshot.strings.find(k_allocator_internal_tag);
    if (!tag.is_some()) return;
    is_own_.reserve(snapshot.metadata.size());
    for (const EventMetadata& metadata : snapshot.metadata) is_own_.push_back(metadata.internal_metadata == tag);
}

namespace {

/// Pairs the annotations of one device, which must be in order of time.
std::vector<AnnotationRange> pair_annotations(std::span<const Annotation> annotations, StringId start_stage) {
    std::vector<RangeMark> marks;
    marks.reserve(annotations.size());
    for (const Annotation& annotation : annotations) marks.push_back({annotation.name, annotation.stage == start_stage});
    std::vector<AnnotationRange> ranges;
    for (const MarkPair& pair : pair_marks(marks)) {
        const bool has_start = pair.start != MarkPair::k_missing;
        const bool has_end = pair.end != MarkPair::k_missing;
        const Annotation& first = annotations[has_start ? pair.start : pair.end];
        ranges.push_back({first.name, first.device, has_start ? first.time_us : k_no_time,
                          has_end ? annotations[pair.end].time_us : k_no_time});
    }
    return ranges;
}

/// Sort key for the end of a range: an unknown end sorts after all others. (An unknown start sorts first, because k_no_time
/// is the smallest number.)
double end_of(const AnnotationRange& range) {
    return range.end_us == k_no_time ? std::numeric_limits<double>::infinity() : static_cast<double>(range.end_us);
}

void order_and_stack(std::vector<AnnotationRange>& ranges) {
    std::ranges::stable_sort(ranges, [](const AnnotationRange& a, const AnnotationRange& b) {
        return a.start_us != b.start_us ? a.start_us < b.start_us : end_of(a) > end_of(b);
    });
    std::vector<Extent> extents;
    extents.reserve(ranges.size());
    for (const AnnotationRange& range : ranges) extents.push_back({static_cast<double>(range.start_us), end_of(range)});
    const std::vector<std::uint32_t> levels = stacking_levels(extents);
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].level = levels[i];
}

}  // namespace

std::vector<MarkPair> pair_marks(std::span<const RangeMark> marks) {
    std::vector<MarkPair> pairs;
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> open;  // indices of the open pairs by name, innermost last
    for (std::uint32_t i = 0; i < marks.size(); ++i) {
        std::vector<std::size_t>& of_name = open[marks[i].name.value];
        if (marks[i].is_start) {
            of_name.push_back(pairs.size());
            pairs.push_back({.start = i});
        } else if (of_name.empty()) {
            pairs.push_back({.end = i});
        } else {
            pairs[of_name.back()].end = i;
            of_name.pop_back();
        }
    }
    return pairs;
}

std::vector<std::uint32_t> stacking_levels(std::span<const Extent> extents) {
    using Busy = std::pair<double, std::uint32_t>;  // pair of the end of an extent and its level
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::set<std::uint32_t> idle;
    std::uint32_t level_count = 0;
    std::vector<std::uint32_t> levels;
    levels.reserve(extents.size());
    for (const Extent& extent : extents) {
        for (; !busy.empty() && busy.top().first <= extent.begin; busy.pop()) idle.insert(busy.top().second);
        const std::uint32_t level = idle.empty() ? level_count++ : *idle.begin();
        idle.erase(level);
        busy.emplace(extent.end, level);
        levels.push_back(level);
    }
    return levels;
}

std::vector<AnnotationRange> annotation_ranges(const Snapshot& snapshot) {
    const StringId start_stage = snapshot.strings.find("START");
    std::vector<Annotation> sorted = snapshot.annotations;
    std::ranges::stable_sort(sorted, [](const Annotation& a, const Annotation& b) {
        return a.device != b.device ? a.device < b.device : a.time_us < b.time_us;
    });
    std::vector<AnnotationRange> ranges;
    for (auto begin = sorted.begin(); begin != sorted.end();) {
        const auto end = std::find_if(begin, sorted.end(), [&](const Annotation& a) { return a.device != begin->device; });
        std::vector<AnnotationRange> of_device = pair_annotations({begin, end}, start_stage);
        order_and_stack(of_device);
        ranges.insert(ranges.end(), of_device.begin(), of_device.end());
        begin = end;
    }
    return ranges;
}

}  // namespace snapviewer
