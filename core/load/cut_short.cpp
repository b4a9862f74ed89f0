#include "core/load/cut_short.h"
#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

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
    snapshot.log.add(
        ImportCode::cut_short,
        fmt::format("the file {}; what came before is kept: {} and {}. {}", failure.text(), counted(event_count, "event"),
                    counted(snapshot.segments.size(), "segment"),
                    is_cut_in_events
                        ? "Blocks that no event allocates are drawn hatched after the last event, because it is "
                          "unknown when they were allocated"
                        : "An allocation whose events are lost is drawn from the beginning or up to the end"),
        failure.error.offset);
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
        snapshot->log.add(
            ImportCode::damaged_packing,
            fmt::format("the file {}; the snapshot in it was read to its end, but any of its values may be wrong",
                        behind->text()),
            behind->error.offset);
    }
    return snapshot;
}

}  // namespace snapviewer
