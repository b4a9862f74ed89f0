#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/budget.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/load/pytorch/object_table.h"

namespace snapviewer::pytorch {

/// Keys of a file that are unknown or occur twice in one dict.
struct UnexpectedKeys {
    /// Number of occurrences of unknown keys, by kind of row and key.
    std::map<std::pair<ObjectTable::Dict::Kind, std::uint32_t>, std::uint64_t> unknown;
    std::uint64_t more_unknown = 0;  ///< Unknown keys beyond the maximum size of `unknown`
    std::uint64_t duplicates = 0;
    std::uint32_t first_duplicate = 0;
    std::uint64_t count = 0;  ///< Number of all unknown and duplicate keys
};

/// Turns the lists and dicts of a snapshot directly into rows, in the order in which a reader finds them. finish_objects()
/// then makes the Snapshot.
///
/// Builds no tree of objects: a dict with the keys of an event, a frame, a segment or a block becomes a row at once, a list
/// of frames becomes an interned stack, and a list of rows becomes a range of rows. Other values are few and are kept
/// unchanged. Members throw Failure (without offset) if the objects are not nested as they must be, or if the file
/// exceeds its budget. Impossible values of rows are recorded in damage() instead.
class ObjectBuilder {
public:
    /// `budget` must outlive this.
    explicit ObjectBuilder(Budget& budget) : budget_(budget) {}

    Snapshot& snapshot() { return *table_.snapshot; }
    const Snapshot& snapshot() const { return *table_.snapshot; }
    ObjectTable& table() { return table_; }
    Damage& damage() { return damage_; }
    Interner& interner() { return interner_; }
    const UnexpectedKeys& unexpected_keys() const { return unexpected_keys_; }

    Value new_list() {
        table_.lists.emplace_back();
        return {Value::Kind::list, table_.lists.size() - 1};
    }
    Value new_dict() {
        table_.dicts.emplace_back();
        return {Value::Kind::dict, table_.dicts.size() - 1};
    }
    void append(Value list, std::span<const Value> items);
    /// Sets the items of a dict. `pairs` contains each key, followed by its value.
    void set_items(Value dict, std::span<const Value> pairs);
    /// Adds one key and value. The kind of row is decided when the dict is appended to a list.
    void set_item(Value dict, Value key, Value value);
    /// Counts a key that occurs twice in one dict of JSON text; the last value applies.
    void count_duplicate_key(Value key);

    /// True for a list without items. For deciding which values to keep if the input breaks off.
    bool is_empty(Value list) const { return table_.list(list).kind == List::Kind::empty; }
    /// True for a dict whose items have all arrived.
    bool is_finished(Value dict) const;

    /// The frame of a value, or none(). Lets a reader handle runs of frames without touching each value.
    FrameId as_frame(Value value) const {
        return table_.is_row(value, Kind::frame) ? FrameId{table_.dict(value).row} : FrameId::none();
    }
    /// Returns the row of a dict that must be a segment, and makes it one if it was read as another kind: pinned host memory
    /// has segments with few keys. Throws Failure if it is impossible.
    std::uint32_t as_segment(Value dict);
    /// Adds a segment with the values of a block, and returns its row. A segment with only an address, a size and a state
    /// looks like a block.
    std::uint32_t add_segment_like(std::uint32_t block_row);
    /// Number of frames that a later item changed into other frames.
    std::uint64_t frame_changes() const { return frame_changes_; }
    /// Sets a list to the frames of a stack.
    void fill_with_stack(Value list, StackId stack) {
        table_.list(list) = {.kind = List::Kind::stack, .first = stack.value};
    }

    /// Appends a new event to a list of events. Returns false and does nothing if `list` has other items or `dict` is no
    /// event.
    bool append_event(Value list, Value dict);

    /// Sizes of the tables of lists and dicts, for truncate().
    struct Sizes {
        std::size_t lists = 0;
        std::size_t dicts = 0;
        std::size_t lists_of_values = 0;
        std::size_t dicts_of_pairs = 0;
        std::size_t kept_values = 0;
    };
    Sizes sizes() const {
        return {table_.lists.size(), table_.dicts.size(), table_.lists_of_values.size(), table_.dicts_of_pairs.size(),
                kept_values_};
    }
    /// Removes all lists and dicts that were added since `sizes` was taken. Used for frames and events after they have been
    /// added to their list, in formats that refer to nothing a second time.
    void truncate(Sizes sizes);

    /// Reserves address space for the events that a file of this size can contain, so that the columns need not move as they
    /// grow. Unused space takes no memory.
    void reserve(std::uint64_t file_bytes);
    /// Pre-faults pages for about as many rows as were added since the last call.
    void prefault();
    /// Adds the events read since the last call to the totals of the thread's Progress.
    void publish();
    /// Throws if the whole file will not fit into memory, judging by the rows at the last publish().
    void check_memory(std::uint64_t read_bytes, std::uint64_t file_bytes) const;

private:
    using Dict = ObjectTable::Dict;
    using Kind = ObjectTable::Dict::Kind;
    using List = ObjectTable::List;
    using BlockRow = ObjectTable::BlockRow;

    void make_row(Dict& dict, Kind kind);
    void close_dict(std::uint32_t index);
    void keep_pairs(Dict& dict, std::span<const Value> pairs);
    void count_kept(std::size_t values);
    bool extends_run(const List& list, Value item) const;
    void make_ordinary(List& list);

    void add_event(Dict& dict, std::span<const Value> pairs);
    void set_fields(Dict& dict, std::span<const Value> pairs);
    void set_row(Dict& dict, std::span<const Value> pairs);
    MetadataId set_event_fields(EventRow& row, std::span<const Value> pairs, EventMetadata metadata);
    void set_frame_field(Frame& frame, std::uint32_t key, Value value, std::string& fx);
    void set_segment_field(std::uint32_t row, std::uint32_t key, Value value);
    void set_block_field(BlockRow& block, std::uint32_t key, Value value);
    void set_history(BlockRow& block, Value history);
    void count_unknown_key(Kind kind, std::uint32_t key);

    std::int32_t device_of(Value value);
    std::uint64_t size_of(Value value, const char* key);
    std::uint16_t pool_of(Value pair);
    BlockState block_state(Value name) const;
    StackId stack_of(Value list, const char* key);
    StringId text_of(Value value);
    StringId new_text(Value value);
    void clear_texts();

    Budget& budget_;
    ObjectTable table_;
    Interner interner_{*table_.snapshot};
    Damage damage_{table_};
    UnexpectedKeys unexpected_keys_;
    std::size_t kept_values_ = 0;  ///< Number of values in lists and dicts that are not rows
    std::uint64_t frame_changes_ = 0;
    /// Index of the first unprocessed key of an open dict, unless it is 0.
    std::unordered_map<std::uint32_t, std::size_t, KeyedHash> open_from_;
    /// Texts made from lists and dicts, by Value. Only valid until one of these changes.
    std::unordered_map<std::uint64_t, StringId, KeyedHash> texts_;
    std::size_t text_lists_ = 0;  ///< Lists from this index on are in no text of texts_
    std::size_t text_dicts_ = 0;  ///< Dicts from this index on are in no text of texts_
    std::size_t published_events_ = 0;
    std::uint64_t published_actions_ = 0;  ///< Allocs and frees among the published events
    GrowthAhead<10> growth_;
};

/// Makes the snapshot from the outermost object, and empties the builder. `cut` is the failure that ended reading before the
/// end of `root`, if any, and `behind` is damage of the source that was found after that place. If a trace or a list of
/// segments contains an impossible value, keeps the rows before it. Reports all of this in the import log. Throws `cut` or
/// the first damage if no event and no segment is left.
std::unique_ptr<Snapshot> finish_objects(ObjectBuilder& builder, Value root, std::optional<Failure> cut = {},
                                         const std::optional<Failure>& behind = {});

/// Throws if an outermost object is not a list of events.
void check_events(ObjectBuilder& builder, Value root);
/// Makes the snapshot of one device from outermost objects that are lists of events, in this order. Empties the builder.
std::unique_ptr<Snapshot> finish_events(ObjectBuilder& builder, std::span<const Value> roots);

}  // namespace snapviewer::pytorch
