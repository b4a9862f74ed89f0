#include "app/features/table/allocation_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/features/timeline/stack_names.h"
#include "core/base/budget.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"
#include "core/trace/annotations.h"

namespace snapviewer {
namespace {

constexpr std::array<AllocationColumnInfo, k_allocation_columns> make_columns() {
    using enum AllocationColumn;
    return {{
        {id, "Id", "id", false, Measure::count, "allocations.id", 64},
        {size, "Size", "size", false, Measure::bytes, "As requested, not rounded", 84},
        {alloc_step, "From step", "alloc_step", false, Measure::count, "Step at which it appears; 0 if it was there before",
         84},
        {free_step, "To step", "free_step", false, Measure::count,
         "Step at which it disappears; empty if it stays to the end", 84},
        {life_steps, "Steps", "life_steps", false, Measure::count, "How long it lives, in steps", 76},
        {alloc_time, "From time", "alloc_time_us", false, Measure::duration, "When it was allocated, since the left edge",
         84, true},
        {free_time, "To time", "free_time_us", false, Measure::duration, "When it was freed, since the left edge", 84, true},
        {life_time, "Time", "life_us", false, Measure::duration, "How long it lives; empty if it stays to the end", 84,
         true},
        {address, "Address", "address", false, Measure::count, "Address of the first byte", 120},
        {stream, "Stream", "stream", false, Measure::count, "Raw handle; 0 is the default stream", 60},
        {pool, "Pool", "pool", true, Measure::count, "(0, 0) is the default pool", 70, true},
        {origin, "Origin", "origin", true, Measure::count, "How it is known", 70, true},
        {state, "At the end", "state", true, Measure::count, "Its state when the snapshot was taken", 90, true},
        {category, "Category", "category", true, Measure::count, "Category as named by a profiler", 100, true},
        {user_metadata, "Metadata", "user_metadata", true, Measure::count, "Text attached by the program", 160, true},
        {annotation, "Annotation", "annotation", true, Measure::count, "Text attached to it later (_annotate_tensor)", 160,
         true},
        {stack, "Stack", "stack", true, Measure::count, "The innermost line of the program's own code, and its callers",
         420},
    }};
}
constexpr std::array<AllocationColumnInfo, k_allocation_columns> k_all_columns = make_columns();

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < k_all_columns.size(); ++i) {
        if (static_cast<std::size_t>(k_all_columns[i].column) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

std::uint32_t metadata_text(const Timeline& timeline, AllocationId row, StringId EventMetadata::*field) {
    const MetadataId metadata = metadata_of(timeline.trace(), row);
    return metadata.is_some() ? (timeline.snapshot().metadata[metadata.value].*field).value : AllocationRows::k_no_text;
}

bool is_endless(const Timeline& timeline, AllocationId row) { return timeline.last_tick(row) + 1 == timeline.tick_count(); }

}  // namespace

std::span<const AllocationColumnInfo, k_allocation_columns> allocation_columns() { return k_all_columns; }

AllocationRows::AllocationRows(std::shared_ptr<const Timeline> timeline, std::int64_t first_id)
    : timeline_(std::move(timeline)), first_id_(first_id) {
    const Snapshot& snapshot = timeline_->snapshot();
    for (const auto& [first, second] : snapshot.pools) pools_.push_back(fmt::format("({}, {})", first, second));
    const std::size_t stack_count = snapshot.stacks.stack_count();
    name_of_stack_.assign(stack_count + 2, k_no_text);
    std::vector<StackTotal> in_use;
    for (std::uint32_t i = 0; i < timeline_->allocation_count(); ++i) {
        const StackId made_by = making_stack(timeline_->trace().allocations, AllocationId{i});
        std::uint32_t& name = name_of_stack_[text_code(AllocationColumn::stack, AllocationId{i})];
        if (name != k_no_text) continue;
        name = static_cast<std::uint32_t>(in_use.size());
        in_use.push_back({made_by});
    }
    stack_names_ = snapviewer::stack_names(*timeline_, in_use);
}

std::optional<std::uint64_t> AllocationRows::time_us(EventId event) const {
    if (!event.is_some()) return std::nullopt;
    const std::int64_t time = timeline_->trace().events.time_us[event.value];
    const std::int64_t start = timeline_->start_time_us();
    if (time == k_no_time || start == k_no_time || time < start) return std::nullopt;
    return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start);
}

std::optional<std::uint64_t> AllocationRows::number(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    const AllocationColumns& allocations = timeline_->trace().allocations;
    switch (column) {
        case id: return static_cast<std::uint64_t>(first_id_) + row.value;
        case size: return allocations.size_bytes[row.value];
        case alloc_step: return timeline_->start_step(row);
        case free_step: return is_endless(*timeline_, row) ? std::nullopt : std::optional(timeline_->end_step(row));
        case life_steps: return timeline_->end_step(row) - timeline_->start_step(row);
        case alloc_time: return time_us(allocations.alloc_event[row.value]);
        case free_time: return time_us(allocations.free_event[row.value]);
        case life_time: {
            const auto begin = time_us(allocations.alloc_event[row.value]);
            const auto end = time_us(allocations.free_event[row.value]);
            return begin && end && *begin <= *end ? std::optional(*end - *begin) : std::nullopt;
        }
        case address: {
            const std::uint64_t place = allocations.address[row.value];
            return place == 0 ? std::nullopt : std::optional(place);
        }
        case stream: return timeline_->snapshot().streams[allocations.stream[row.value]];
        default: return std::nullopt;
    }
}

std::uint32_t AllocationRows::text_code(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    const AllocationColumns& allocations = timeline_->trace().allocations;
    switch (column) {
        case pool: {
            const std::uint16_t code = allocations.pool[row.value];
            return code == k_no_pool ? k_no_text : code;
        }
        case origin: return static_cast<std::uint32_t>(allocations.origin[row.value]);
        case state: return static_cast<std::uint32_t>(allocations.state[row.value]);
        case category: return metadata_text(*timeline_, row, &EventMetadata::category);
        case user_metadata: return metadata_text(*timeline_, row, &EventMetadata::user_metadata);
        case annotation: {
            const StringId text = notes_text_of(timeline_->trace(), row);
            return text.is_some() ? text.value : k_no_text;
        }
        case stack: {
            const StackId made_by = making_stack(allocations, row);
            const auto stacks = static_cast<std::uint32_t>(name_of_stack_.size() - 2);
            if (made_by == k_before_recording) return stacks;
            return made_by.is_some() ? made_by.value : stacks + 1;
        }
        default: return k_no_text;
    }
}

std::string_view AllocationRows::text(AllocationColumn column, std::uint32_t code) const {
    using enum AllocationColumn;
    if (code == k_no_text) return {};
    switch (column) {
        case pool: return pools_[code];
        case origin: return origin_name(static_cast<Origin>(code));
        case state: return state_name(static_cast<AllocationState>(code));
        case category:
        case user_metadata:
        case annotation: return timeline_->snapshot().strings.view(StringId{code});
        case stack: return stack_names_[name_of_stack_[code]];
        default: return {};
    }
}

std::string AllocationRows::shown(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    if (info_of(column).is_text) return shortened(text(column, text_code(column, row)), limits::k_most_source_bytes);
    const std::optional<std::uint64_t> value = number(column, row);
    if (!value) return {};
    switch (column) {
        case size: return format_bytes(*value);
        case alloc_time:
        case free_time:
        case life_time: return format_duration_us(static_cast<std::int64_t>(*value));
        case address: return fmt::format("{:#x}", *value);
        case id: return std::to_string(*value);
        case stream: return *value < 1'000'000 ? std::to_string(*value) : fmt::format("{:#x}", *value);
        default: return format_count(*value);
    }
}

Cell AllocationRows::value(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    if (info_of(column).is_text) {
        const std::uint32_t code = text_code(column, row);
        if (code == k_no_text) return std::monostate();
        return std::string(text(column, code));
    }
    const AllocationColumns& allocations = timeline_->trace().allocations;
    if (column == alloc_time || column == free_time) {
        const EventId event = column == alloc_time ? allocations.alloc_event[row.value] : allocations.free_event[row.value];
        const std::int64_t time = event.is_some() ? timeline_->trace().events.time_us[event.value] : k_no_time;
        return time == k_no_time ? Cell() : Cell(time);
    }
    const std::optional<std::uint64_t> value = number(column, row);
    return value ? Cell(static_cast<std::int64_t>(*value)) : Cell();
}

}  // namespace snapviewer
