#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/keyed_hash.h"
#include "core/base/load_budget.h"
#include "core/base/memory_ahead.h"
#include "core/base/progress.h"
#include "core/load/failure.h"
#include "core/load/snapshot_keys.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// A value of a plain-data format: what stands on a reader's stack. Lists and dicts are numbers into ObjectBuilder.
struct Value {
    enum class Kind : std::uint8_t { none, boolean, integer, real, string, list, dict };
    Kind kind = Kind::none;
    std::uint64_t bits = 0;  ///< integer: two's complement, or unsigned from 2^63 on; real: the double's bits; else an index

    bool operator==(const Value&) const = default;
    static Value integer(std::uint64_t bits) { return {Kind::integer, bits}; }
    static Value string(StringId id) { return {Kind::string, id.value}; }
    std::uint32_t index() const { return static_cast<std::uint32_t>(bits); }
};

/// Turns the lists and dicts of a snapshot, as a reader meets them, straight into the columns of a Snapshot.
///
/// There is no tree of objects: a dict that shows itself to be an event, a frame, a segment or a block becomes a row at
/// once, a list of frames an interned stack, a list of rows a range. Only what is none of these is kept as it came; that is
/// little. Members throw ReadFailure (without offset) when the objects are not put together as they must be, or when what a
/// file asks for is beyond its budget. A value that cannot be what its key says is remembered with its row, and finish()
/// leaves out that row: of a device also those after it.
class ObjectBuilder {
public:
    /// `budget` outlives this.
    explicit ObjectBuilder(LoadBudget& budget);

    Snapshot& snapshot() { return *snapshot_; }
    const Snapshot& snapshot() const { return *snapshot_; }
    /// Tells where in the file the reader stands, for what is found wrong now and thrown by finish(). It lives as long as
    /// values are added.
    void set_place(std::function<std::uint64_t()> place) { place_ = std::move(place); }

    Value new_list();
    Value new_dict();
    void append(Value list, std::span<const Value> items);
    /// keys and values in turn
    void set_items(Value dict, std::span<const Value> pairs);
    /// One key and value. What kind of row the dict is shows when it is appended to a list.
    void set_item(Value dict, Value key, Value value);
    /// A key that came twice in one dict of JSON text; the last value counts.
    void note_duplicate_key(Value key) {
        ++odd_keys_;
        if (++duplicate_keys_ == 1) first_duplicate_key_ = key.index();
    }
    /// How many keys were noted so far because they came twice or are not known.
    std::uint64_t odd_keys() const { return odd_keys_; }

    /// For values that a reader had open when its input broke off.
    bool is_empty(Value list) const { return lists_[list.index()].kind == List::Kind::empty; }
    bool is_finished(Value dict) const;
    /// How many traces an outermost object has, the last perhaps in part; none unless it broke off in them, behind all its
    /// segments.
    std::optional<std::size_t> traces_begun(Value root) const;

    /// The frame that a value stands for, or none(): lets a reader handle runs of frames without touching each value.
    FrameId as_frame(Value value) const {
        if (value.kind != Value::Kind::dict) return FrameId::none();
        const Dict& dict = dicts_[value.index()];
        return dict.kind == Dict::Kind::frame ? FrameId{dict.row} : FrameId::none();
    }
    /// How often a frame became another one by a later item.
    std::uint64_t frame_changes() const { return frame_changes_; }
    /// A list that holds just the frames of a stack.
    void fill_with_stack(Value list, StackId stack) {
        lists_[list.index()] = {List::Kind::stack, Dict::Kind::other, false, stack.value, 0};
    }

    /// Adds an event that was just made to a list of events. False, and nothing done, if that is not what they are.
    bool append_event(Value list, Value dict);

    /// How many lists and dicts there are: a mark to go back to.
    struct Numbers {
        std::size_t lists = 0;
        std::size_t dicts = 0;
        std::size_t lists_of_values = 0;
        std::size_t dicts_of_pairs = 0;
        std::size_t kept_values = 0;
    };
    /// Whether what is kept of values that are no rows, and `more_bytes` of the reader's own, is within the budget. To be
    /// asked with every piece of a file.
    void check_kept(std::uint64_t more_bytes) const;
    Numbers numbers() const {
        return {lists_.size(), dicts_.size(), lists_of_values_.size(), dicts_of_pairs_.size(), kept_values_};
    }
    /// Takes back all numbers given since the mark: for frames and events of formats in which nothing is mentioned twice,
    /// once their list holds them.
    void forget_newer(Numbers mark);

    /// Makes room for as many events as a file of this size may hold, so that the columns need not move as they grow. Room
    /// that is not used costs addresses, not memory.
    void expect(std::uint64_t file_bytes);

    /// Has the system put memory in place for about as many more rows as came since the last call.
    void prepare_room();

    /// Lets who waits see the events read so far, while reading only: in the totals, and whoever looks on.
    void show(Progress& progress);
    /// Throws if all of a file is not going to fit into memory, which the rows of its first bytes tell. Of those that
    /// show() saw.
    void check_room(std::uint64_t read_bytes, std::uint64_t file_bytes) const;

    /// Makes the snapshot of everything read, given the outermost object. Of a trace or list of segments that holds what
    /// cannot be one of its rows it keeps those before, and damage() says so. The builder is empty afterwards.
    std::unique_ptr<Snapshot> finish(Value root);
    /// The first wrong value that finish() met outside pinned host memory.
    const std::optional<ReadFailure>& damage() const { return damage_; }
    /// The same where the outermost objects are just lists of events, all of a single device, in this order.
    std::unique_ptr<Snapshot> finish_events(std::span<const Value> roots);
    /// Throws if an outermost object is something else.
    void check_events(Value root) const;

private:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;
    static constexpr std::uint16_t k_no_stream = 0xFFFF;  ///< of a segment, until its dict is complete

    struct Dict {
        enum class Kind : std::uint8_t { other, event, frame, segment, block };
        Kind kind = Kind::other;
        bool is_open = false;   ///< given single items so far
        std::uint32_t row = 0;  ///< in the table of its kind; k_none for a dict without keys
    };
    struct List {
        enum class Kind : std::uint8_t { empty, stack, run, other };
        Kind kind = Kind::empty;
        Dict::Kind run_of = Dict::Kind::other;
        bool taken = false;       ///< a run may belong to one device or segment only
        std::uint32_t first = 0;  ///< stack: StackId; run: first row; other: index into lists_of_values_
        std::uint32_t count = 0;
    };
    struct BlockRow {
        Block block;
        bool has_requested = false;
        bool has_frames = false;
        bool has_history = false;
        std::uint64_t history_bytes = 0;
        StackId history_stack;
    };

    /// What only segments of pinned host memory say, which may be one block without a list of blocks.
    struct FlatSegment {
        std::optional<std::uint64_t> size_bytes;
        std::optional<bool> is_allocated, is_active;
        std::optional<BlockState> block_state;
    };
    /// What does not belong into a list of rows.
    struct Stray {
        std::uint64_t count = 0;
        std::uint32_t rows_before = 0;
        std::optional<std::uint64_t> offset;  ///< of the first
    };

    /// The first rows of a list, up to one that is damaged.
    struct WholeRows {
        std::uint32_t count = 0;
        bool is_all = true;
    };

    Dict::Kind kind_by_keys(std::span<const Value> pairs) const;
    void become(Dict& dict, Dict::Kind kind);
    void settle(std::uint32_t index);
    void keep_pairs(Dict& dict, std::span<const Value> pairs);
    void count_kept(std::size_t values);
    std::pair<std::size_t, std::size_t> longest_event_run() const;
    void set_fields(Dict& dict, std::span<const Value> pairs);
    void set_row(Dict& dict, std::span<const Value> pairs);
    void add_event(Dict& dict, std::span<const Value> pairs);
    MetadataId set_event_fields(EventRow& row, std::span<const Value> pairs, EventMetadata metadata);
    void set_frame_field(Frame& frame, std::uint32_t key, Value value, std::string& fx);
    void set_segment_field(std::uint32_t row, std::uint32_t key, Value value);
    void set_block_field(BlockRow& block, std::uint32_t key, Value value);
    void take_history(BlockRow& block, Value history);

    /// What a key that is not known is reported as, and what carries it.
    static std::pair<ImportCode, const char*> unknown_key_of(Dict::Kind kind);
    void note_unknown(Dict::Kind kind, std::uint32_t key);

    std::uint64_t integer_of(Value value, const char* key) const {
        return value.kind == Value::Kind::integer ? value.bits : integer_of_other(value, key);
    }
    std::uint64_t integer_of_other(Value value, const char* key) const;
    std::int32_t device_of(Value value);
    std::uint64_t size_of(Value value, const char* key);
    std::uint32_t line_of(Value value) const;
    StringId string_of(Value value, const char* key) const;
    StringId text_of(Value value);
    StringId make_text(Value value);
    /// A map made anew, as to clear one that once was large costs as much every time.
    void forget_texts() {
        if (!texts_.empty()) texts_ = {};
        text_lists_ = text_dicts_ = 0;
    }
    StringId keep_text(const std::string& text);
    StackId stack_of(Value list, const char* key);
    Action action_of(StringId name);
    std::uint16_t stream_of(std::uint64_t raw) { return raw == last_stream_ ? last_stream_index_ : stream_of_other(raw); }
    std::uint16_t stream_of_other(std::uint64_t raw);
    std::uint16_t pool_of(Value pair);
    MetadataId intern_metadata(const EventMetadata& metadata);

    bool extends_run(const List& list, Value item) const;
    void make_ordinary(List& list);
    std::span<const Value> items_of(const List& list) const;
    void add_frames(std::size_t count, std::uint64_t bytes_each) const;
    const Value* find(std::uint32_t dict, std::uint32_t key);
    static std::vector<std::size_t> last_of_each_key(std::span<const Value> pairs);
    std::string json_of(Value value) const;
    void write_json(Value value, int depth, std::string& out) const;

    [[nodiscard]] Error placed(ReadFailure& failure) const;
    void note_damage(Dict::Kind kind, std::uint32_t row, ReadFailure& failure);
    void note_stray(std::uint32_t list);
    void note_damage_of_device(Error error, const std::string& context);
    WholeRows whole_rows(Value list, Dict::Kind kind, const char* otherwise, const std::string& context);
    void need_whole(Dict::Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const;
    void need_only(Value list, Dict::Kind kind, const char* otherwise, const std::string& context) const;
    BlockState block_state(StringId name) const;

    std::string in_words(Value value) const;
    std::string list_in_words(const List& list) const;
    /// One of several snapshots in a file.
    struct RankValue {
        std::string name;
        Value value;
    };
    bool is_snapshot(Value value);
    std::vector<RankValue> ranks_in(Value root);
    std::string rank_of_key(Value key, std::size_t place) const;
    void finish_ranks(const std::vector<RankValue>& ranks);
    std::int32_t shown_device(std::int32_t device);
    std::int32_t annotated_device(std::int32_t device);
    [[noreturn]] void refuse_root(Value root) const;
    void finish_root(Value root);
    void finish_snapshot(Value value);
    void finish_root_key(std::uint32_t key, Value value);
    void finish_traces(Value traces);
    void finish_trace(Value trace, std::size_t number);
    void finish_segments(Value segments);
    void finish_segment(Segment segment, std::uint32_t row);
    void add_blocks(Segment& segment, const List& blocks);

    template <typename Work>
    void leaving_out_damage(Work work);
    void finish_host_traces(Value traces);
    void finish_host_trace(Value trace, std::size_t number);
    void finish_host_segments(Value segments);
    void finish_host_segment(std::uint32_t row);
    std::uint32_t host_segment_row(Value value);
    std::vector<std::uint32_t> host_events(const List& list);
    std::uint32_t segment_of_block(std::uint32_t row);
    static Block flat_block(const Segment& segment, const FlatSegment& flat);
    void report_host();
    void finish_annotations(Value annotations);
    void finish_settings(Value settings);
    void add_setting(std::string_view name, Value value);
    void take_marks(const DeviceTrace& trace);
    EventColumns take_events(std::uint32_t first, std::uint32_t count);
    DeviceTrace& device_trace(std::int32_t device);
    void report_keys();
    void report_devices();

    LoadBudget& budget_;
    std::unique_ptr<Snapshot> snapshot_;
    std::size_t kept_values_ = 0;
    std::map<std::pair<Dict::Kind, std::uint32_t>, std::uint64_t> unknown_keys_;
    std::uint64_t more_unknown_keys_ = 0;  ///< of further kinds
    std::uint64_t unknown_root_keys_ = 0;
    std::uint64_t duplicate_keys_ = 0;
    std::uint64_t odd_keys_ = 0;
    std::uint64_t frame_changes_ = 0;
    std::function<std::uint64_t()> place_;
    std::map<std::pair<Dict::Kind, std::uint32_t>, Error> damaged_rows_;
    std::optional<ReadFailure> damage_;  ///< the first of
    std::uint32_t damages_ = 0;
    std::map<std::uint32_t, Stray> strays_;                                    ///< by list
    std::optional<Error> damaged_frame_;                                       ///< the newest
    std::unordered_map<std::uint32_t, FlatSegment, KeyedHash> flat_segments_;  ///< by row
    std::string rank_;  ///< of which the snapshot is being finished; empty where the file holds one
    std::map<std::int32_t, std::int32_t> rank_devices_;  ///< the numbers under which its devices are shown
    std::uint64_t host_left_out_ = 0;
    std::string first_left_out_;
    std::uint32_t first_duplicate_key_ = 0;
    std::vector<List> lists_;
    std::vector<Dict> dicts_;
    std::vector<std::vector<Value>> lists_of_values_;
    std::vector<std::vector<Value>> dicts_of_pairs_;
    /// From which pair on an open dict was not looked at yet, where that is not the first.
    std::unordered_map<std::uint32_t, std::size_t, KeyedHash> open_from_;

    /// Where a large dict has the keys that mean something, so that it is gone through once only.
    struct KeyPlaces {
        std::size_t seen = 0;
        std::array<std::size_t, keys::k_key_count> value_at{};  ///< 0: it has no such key
    };
    std::unordered_map<std::uint32_t, KeyPlaces, KeyedHash> large_dicts_;  ///< by row
    std::unordered_map<std::uint64_t, StringId, KeyedHash> texts_;         ///< of lists and dicts, as they are now
    std::size_t text_lists_ = 0;  ///< none from here on can be part of a text in texts_
    std::size_t text_dicts_ = 0;
    EventColumns events_;                    ///< of all devices, in the order of the file
    std::vector<std::uint32_t> event_runs_;  ///< the first row of every list of events
    std::size_t shown_events_ = 0;
    std::uint64_t shown_actions_ = 0;  ///< of these, allocs and frees
    GrowthAhead<10> growth_;
    std::vector<Segment> segments_;
    std::vector<std::uint32_t> segment_block_lists_;  ///< parallel to segments_: index into lists_, or k_none
    std::vector<BlockRow> blocks_;

    std::vector<std::uint8_t> action_of_string_;  ///< by StringId; 0xFF = not asked yet
    struct MetadataHash {
        KeyedHash hash;
        std::size_t operator()(const EventMetadata& metadata) const { return hash(&metadata, sizeof(metadata)); }
    };
    std::unordered_map<EventMetadata, MetadataId, MetadataHash> metadata_ids_;
    EventMetadata last_metadata_;
    MetadataId last_metadata_id_;
    std::uint64_t last_stream_ = ~0ULL;
    std::uint16_t last_stream_index_ = 0;
    std::unordered_map<std::uint64_t, std::uint16_t, KeyedHash> stream_indices_;
    std::pair<std::int64_t, std::int64_t> last_pool_;
    std::uint16_t last_pool_index_ = k_no_pool;
    struct PoolHash {
        KeyedHash hash;
        std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& pool) const { return hash(&pool, sizeof(pool)); }
    };
    std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::uint16_t, PoolHash> pool_indices_;
};

}  // namespace snapviewer
