#include "core/load/pytorch/damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/number_text.h"
#include "core/load/pytorch/object_builder.h"

namespace snapviewer {
namespace {

constexpr int k_depth = 64;  // maximum depth of open values in a snapshot
constexpr std::size_t k_nowhere = ~std::size_t{0};

/// Closes the open values on a pickle's stack, from the outermost value to the innermost. The contents of an open value lie
/// above it on the stack: after a mark if the pickle adds items in groups, else as a single item, or as a key and its value.
class OpenValues {
public:
    OpenValues(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks)
        : builder_(builder), stack_(stack), marks_(marks) {}

    /// Adds all values above `at` to the value at `at`. Returns false if the value is not complete enough to be kept.
    bool close(std::size_t at, std::size_t level, int depth) {
        const Value value = stack_[at];
        if (depth > k_depth) return false;
        if (value.kind != Value::Kind::list && value.kind != Value::Kind::dict) return true;
        const std::size_t first = at + 1;
        while (level < marks_.size() && marks_[level] < first) ++level;  // marks before the value do not belong to it
        const bool has_group = level < marks_.size() && marks_[level] == first;
        const std::size_t inner_level = level + (has_group ? 1 : 0);
        const std::size_t next_mark = inner_level < marks_.size() ? marks_[inner_level] : stack_.size();
        const bool is_last = first >= std::min(next_mark, stack_.size());
        if (is_last) return value.kind == Value::Kind::list || (!has_group && builder_.is_finished(value));
        const std::size_t last = std::min(next_mark, stack_.size()) - 1;
        const std::size_t open = value.kind == Value::Kind::dict ? open_value_of_dict(first, last)
                                 : has_group                     ? open_item_of_group(first, last)
                                                                 : first;
        const bool is_kept = open < stack_.size() && close(open, inner_level, depth + 1);
        if (value.kind == Value::Kind::list) {
            builder_.append(value, stack_.subspan(first, open - first + (is_kept ? 1 : 0)));
            return true;
        }
        if (at != 0) return false;  // the dict is an event, segment or frame that lacks some of its keys
        const std::size_t whole_pairs = open == k_nowhere ? 0 : (open - first) / 2 * 2;
        builder_.set_items(value, stack_.subspan(first, whole_pairs + (is_kept ? 2 : 0)));
        return true;
    }

private:
    /// Returns the index of the last item of a group, the only item that may be unfinished.
    std::size_t open_item_of_group(std::size_t first, std::size_t last) const {
        const bool lies_in_list = last > first && stack_[last].kind == Value::Kind::dict &&
                                  stack_[last - 1].kind == Value::Kind::list && builder_.is_empty(stack_[last - 1]);
        return lies_in_list ? last - 1 : last;
    }

    /// Returns the index of the unfinished value of a dict. Keys are strings, so the first value in a key's place that is
    /// not a string belongs to the value before it.
    std::size_t open_value_of_dict(std::size_t first, std::size_t last) const {
        for (std::size_t key = first; key <= last; key += 2) {
            if (stack_[key].kind != Value::Kind::string) return key == first ? k_nowhere : key - 1;
        }
        const bool ends_with_key = (last - first) % 2 == 0;
        if (!ends_with_key) return last;
        return last + 1 < stack_.size() ? k_nowhere : last + 1;
    }

    ObjectBuilder& builder_;
    std::span<const Value> stack_;
    std::span<const std::size_t> marks_;
};

}  // namespace

Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks) {
    if (stack.empty()) return {};
    OpenValues(builder, stack, marks).close(0, 0, 0);
    return stack.front();
}

namespace {

/// Marks the traces that may be incomplete. A snapshot contains traces one after another, so all traces before the last one
/// that has begun are complete.
void mark_cut_off(Snapshot& snapshot, std::size_t traces_begun) {
    for (DeviceTrace& trace : snapshot.devices) {
        if (trace.device < 0) continue;
        const bool is_whole = static_cast<std::size_t>(trace.device) + 1 < traces_begun;
        if (!is_whole) trace.cut_off = CutOff::in_the_events;
        if (trace.cut_off == CutOff::not_told) trace.cut_off = CutOff::behind;
    }
}

/// Combines the failure of a snapshot with the failure of the damaged container that it came from.
Failure joined(const Failure& damage, const Failure& of_container) {
    if (damage.error.message == of_container.error.message) return of_container;
    Failure both = of_container;
    both.error.context += fmt::format("{}what comes out of it {}", both.error.context.empty() ? "" : "; ", damage.text());
    return both;
}

void note_cut(Snapshot& snapshot, const Failure& failure, std::size_t event_count) {
    const bool is_cut_in_events =
        std::ranges::find(snapshot.devices, CutOff::in_the_events, &DeviceTrace::cut_off) != snapshot.devices.end();
    const char* const rest = is_cut_in_events
                                 ? "Blocks that no event allocates are drawn hatched after the last event, because it is "
                                   "unknown when they were allocated"
                                 : "An allocation whose events are lost is drawn from the beginning or up to the end";
    snapshot.log.add("cut_short", {.offset = failure.error.offset},
                     {failure.text(), fmt::format("{} and {}. {}", counted(event_count, "event"),
                                                  counted(snapshot.segments.size(), "segment"), rest)});
}

}  // namespace

std::optional<Failure> read_to_end(ByteSource& source) {
    try {
        while (!source.next_piece().empty()) continue;
        return std::nullopt;
    } catch (const Failure& failure) {
        if (failure.is_cut) return failure;
        if (failure.error.code == ErrorCode::unsupported) return std::nullopt;  // the load has used up its budget
        throw;
    }
}

std::unique_ptr<Snapshot> finish_read(ObjectBuilder& builder, Value root, std::optional<Failure> damage,
                                      const std::optional<Failure>& behind) {
    std::unique_ptr<Snapshot> snapshot;
    const std::optional<std::size_t> traces_begun = damage ? builder.traces_begun(root) : std::nullopt;
    try {
        snapshot = builder.finish(root);
    } catch (const Failure&) {
        if (!damage) throw;
        throw Failure(*damage);
    }
    if (traces_begun) mark_cut_off(*snapshot, *traces_begun);
    if (damage && behind) damage = joined(*damage, *behind);
    if (!damage) damage = builder.damage();
    if (damage) {
        std::size_t event_count = 0;
        for (const DeviceTrace& trace : snapshot->devices) event_count += trace.events.size();
        if (event_count + snapshot->segments.size() == 0) throw Failure(*damage);
        note_cut(*snapshot, *damage, event_count);
    } else if (behind) {
        snapshot->log.add("damaged_packing", {.offset = behind->error.offset}, {behind->text()});
    }
    return snapshot;
}

// The part of ObjectBuilder for impossible values. They are remembered until their owner is known. A list of a device's
// rows ends at such a value; rows of pinned host memory are left out, because their form changes from version to version.

Error ObjectBuilder::placed(Failure& failure) const {
    if (failure.error.code != ErrorCode::bad_file) throw std::move(failure);
    check_stop();
    if (!failure.error.offset && place_) failure.error.offset = place_();
    return std::move(failure.error);
}

void ObjectBuilder::note_damage(Dict::Kind kind, std::uint32_t row, Failure& failure) {
    Error error = placed(failure);
    damaged_rows_.try_emplace({kind, row}, std::move(error));
}

void ObjectBuilder::note_stray(std::uint32_t list) {
    Stray& stray = strays_[list];
    if (stray.count++ > 0) return;
    stray.rows_before = lists_[list].count;
    if (place_) stray.offset = place_();
}

/// Throws if one of these rows is damaged.
void ObjectBuilder::need_whole(Dict::Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const {
    const auto damaged = damaged_rows_.lower_bound({kind, first});
    if (damaged == damaged_rows_.end() || damaged->first >= std::pair(kind, first + count)) return;
    Error error = damaged->second;
    error.context = context;
    throw Failure{std::move(error)};
}

/// Throws unless the list contains rows of this kind and nothing else.
void ObjectBuilder::need_only(Value value, Dict::Kind kind, const char* otherwise, const std::string& context) const {
    const List& list = lists_[value.index()];
    if (list.kind != List::Kind::run || list.run_of != kind) fail(otherwise, {}, context);
    const auto stray = strays_.find(value.index());
    if (stray != strays_.end()) fail(otherwise, stray->second.offset, context);
}

void ObjectBuilder::note_damage_of_device(Error error, const std::string& context) {
    if (damages_++ > 0) return;
    error.context = context;
    if (error.message.starts_with('\'')) error.message = "holds a wrong value: " + error.message;
    damage_ = Failure{std::move(error), true, true};
}

/// The rows before the first one that is damaged or of another kind; records that one as damage.
ObjectBuilder::WholeRows ObjectBuilder::whole_rows(Value value, Dict::Kind kind, const char* otherwise,
                                                   const std::string& context) {
    const List& list = lists_[value.index()];
    if (list.kind == List::Kind::empty) return {};
    const bool is_run = list.kind == List::Kind::run && list.run_of == kind;
    const auto stray = strays_.find(value.index());
    const std::uint32_t count = !is_run ? 0 : stray != strays_.end() ? stray->second.rows_before : list.count;
    const auto damaged = damaged_rows_.lower_bound({kind, list.first});
    if (is_run && damaged != damaged_rows_.end() && damaged->first < std::pair(kind, list.first + count)) {
        note_damage_of_device(damaged->second, context);
        return {damaged->first.second - list.first, false};
    }
    if (is_run && stray == strays_.end()) return {count, true};
    const auto offset = stray != strays_.end() ? stray->second.offset : std::nullopt;
    note_damage_of_device({ErrorCode::bad_file, otherwise, offset, {}}, context);
    return {count, false};
}

/// Runs `work` and counts it as left out if it throws.
template <typename Work>
void ObjectBuilder::leaving_out_damage(Work work) {
    try {
        work();
    } catch (Failure& failure) {
        const Error error = placed(failure);
        if (host_left_out_++ == 0) first_left_out_ = error.message;
    }
}

// ---------------------------------------------------------------------------------------------------- pinned host memory

void ObjectBuilder::finish_host_traces(Value traces) {
    leaving_out_damage([&] {
        if (traces.kind != Value::Kind::list) fail("'host_traces' is not a list");
        const List& outer = lists_[traces.index()];
        const std::span<const Value> items = items_of(outer);
        const bool is_flat = outer.kind == List::Kind::run || (!items.empty() && items.front().kind == Value::Kind::dict);
        if (is_flat) {  // there is only one host
            finish_host_trace(traces, 0);
            return;
        }
        std::size_t number = 0;
        for (const Value item : items) {
            leaving_out_damage([&] {
                if (item.kind != Value::Kind::list) fail("'host_traces' holds something that is not a list");
                finish_host_trace(item, number++);
            });
        }
    });
}

void ObjectBuilder::finish_host_trace(Value trace, std::size_t number) {
    List& list = lists_[trace.index()];
    if (list.taken) fail("two devices share one trace");
    if (const auto stray = strays_.find(trace.index()); stray != strays_.end()) {
        leaving_out_damage([] { fail("a trace holds something that is not an event"); });
        host_left_out_ += stray->second.count - 1;
    }
    const std::vector<std::uint32_t> rows = host_events(list);
    if (rows.empty()) return;
    list.taken = true;
    DeviceTrace& device = device_trace(-1 - static_cast<std::int32_t>(std::min<std::size_t>(number, 0x7FFFFFFE)));
    device.events = {};
    device.events.reserve(rows.size());
    for (const std::uint32_t row : rows) device.events.push(events_.row(row));
}

/// The rows of a list that are whole events.
std::vector<std::uint32_t> ObjectBuilder::host_events(const List& list) {
    std::vector<std::uint32_t> rows;
    const auto take = [&](std::uint32_t row) {
        leaving_out_damage([&] {
            need_whole(Dict::Kind::event, row, 1, {});
            if (row >= events_.size()) fail("two devices share one trace");
            const Action action = events_.action[row];
            const bool is_of_block =
                action == Action::alloc || action == Action::free_requested || action == Action::free_completed;
            if (is_of_block && events_.address[row] == 0) fail("an event has no address");
            rows.push_back(row);
        });
    };
    if (list.kind == List::Kind::run && list.run_of == Dict::Kind::event) {
        for (std::uint32_t row = list.first; row < list.first + list.count; ++row) take(row);
    } else {
        for (const Value item : items_of(list)) {
            const bool is_event = item.kind == Value::Kind::dict && dicts_[item.index()].kind == Dict::Kind::event;
            if (is_event) {
                take(dicts_[item.index()].row);
            } else {
                leaving_out_damage([] { fail("a trace holds something that is not an event"); });
            }
        }
    }
    return rows;
}

void ObjectBuilder::finish_host_segments(Value segments) {
    leaving_out_damage([&] {
        if (segments.kind != Value::Kind::list) fail("'host_segments' is not a list");
        if (std::exchange(lists_[segments.index()].taken, true)) fail("two ranks share one list of segments");
        const List list = lists_[segments.index()];
        if (const auto stray = strays_.find(segments.index()); stray != strays_.end()) {
            leaving_out_damage([] { fail("'host_segments' holds something that is not a segment"); });
            host_left_out_ += stray->second.count - 1;
        }
        if (list.kind == List::Kind::run && list.run_of == Dict::Kind::segment) {
            for (std::uint32_t row = list.first; row < list.first + list.count; ++row)
                leaving_out_damage([&] { finish_host_segment(row); });
        } else if (list.kind == List::Kind::run && list.run_of == Dict::Kind::block) {
            for (std::uint32_t row = list.first; row < list.first + list.count; ++row)
                leaving_out_damage([&] { finish_host_segment(segment_of_block(row)); });
        } else {
            for (const Value item : items_of(list)) leaving_out_damage([&] { finish_host_segment(host_segment_row(item)); });
        }
    });
}

/// The row of a dict that is a segment, even if it was read as another kind.
std::uint32_t ObjectBuilder::host_segment_row(Value value) {
    if (value.kind != Value::Kind::dict) fail("'host_segments' holds something that is not a segment");
    Dict& dict = dicts_[value.index()];
    if (dict.kind == Dict::Kind::segment) return dict.row;
    if (dict.kind == Dict::Kind::block) return segment_of_block(dict.row);
    if (dict.kind != Dict::Kind::other || dict.row == k_none) fail("'host_segments' holds something that is not a segment");
    const std::vector<Value> pairs = dicts_of_pairs_[dict.row];
    become(dict, Dict::Kind::segment);
    set_fields(dict, pairs);
    return dict.row;
}

/// A segment whose only fields are address, size and state looks like a block.
std::uint32_t ObjectBuilder::segment_of_block(std::uint32_t row) {
    need_whole(Dict::Kind::block, row, 1, {});
    const BlockRow& from = blocks_[row];
    Segment& segment = segments_.emplace_back();
    segment_block_lists_.push_back(k_none);
    segment.stream = k_no_stream;
    segment.address = from.block.address;
    segment.total_bytes = from.block.size_bytes;
    segment.requested_bytes = from.has_requested ? from.block.requested_bytes : 0;
    segment.stack = from.block.stack;
    const auto segment_row = static_cast<std::uint32_t>(segments_.size() - 1);
    flat_segments_[segment_row].block_state = from.block.state;
    return segment_row;
}

void ObjectBuilder::finish_host_segment(std::uint32_t row) {
    need_whole(Dict::Kind::segment, row, 1, {});
    Segment segment = segments_[row];
    const auto flat = flat_segments_.find(row);
    if (segment.total_bytes == 0 && flat != flat_segments_.end()) segment.total_bytes = flat->second.size_bytes.value_or(0);
    if (segment.address == 0 || segment.total_bytes == 0) fail("a segment has no address or no size");
    segment.device = -1 - segment.device;
    if (!segment.type.is_some()) segment.type = snapshot_->strings.intern("large");
    finish_segment(segment, row);
    if (segment_block_lists_[row] != k_none) return;
    Segment& added = snapshot_->segments.back();
    added.block_count = 1;
    snapshot_->blocks.push_back(flat_block(added, flat == flat_segments_.end() ? FlatSegment{} : flat->second));
}

/// The only block of a segment without a list of blocks.
Block ObjectBuilder::flat_block(const Segment& segment, const FlatSegment& flat) {
    const bool is_allocated = flat.is_allocated.value_or(segment.allocated_bytes > 0);
    const bool is_active = flat.is_active.value_or(segment.active_bytes > 0);
    const BlockState told = is_allocated ? BlockState::active_allocated
                            : is_active  ? BlockState::active_pending_free
                                         : BlockState::inactive;
    return {segment.address, segment.total_bytes,
            segment.requested_bytes > 0 ? segment.requested_bytes : segment.total_bytes, flat.block_state.value_or(told),
            segment.stack};
}

void ObjectBuilder::report_host() {
    if (host_left_out_ == 0) return;
    snapshot_->log.add("host_left_out", {.count = host_left_out_}, {first_left_out_});
}

}  // namespace snapviewer
