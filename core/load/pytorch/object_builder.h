#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/load/bytes/byte_source.h"
#include "core/trace/snapshot.h"

/// Keys of PyTorch's memory snapshots that the readers know. ObjectBuilder interns them first and in this order, so that the
/// StringId of a key equals its number in Key.
namespace snapviewer::keys {

enum Key : std::uint32_t {
    k_action,
    k_addr,
    k_device_free,
    k_size,
    k_stream,
    k_time_us,
    k_frames,
    k_compile_context,
    k_user_metadata,
    k_internal_metadata,
    k_category,
    k_pool_id,
    k_forward_frames,
    k_filename,
    k_line,
    k_name,
    k_device,
    k_address,
    k_total_size,
    k_allocated_size,
    k_active_size,
    k_requested_size,
    k_segment_type,
    k_segment_pool_id,
    k_is_expandable,
    k_blocks,
    k_state,
    k_history,
    k_real_size,
    k_stage,
    k_segments,
    k_device_traces,
    k_allocator_settings,
    k_external_annotations,
    k_host_segments,
    k_host_traces,
    k_fx_node_op,
    k_fx_node_name,
    k_fx_node_target,
    k_fx_original_trace,
    k_fx_node_info,
    k_allocated,
    k_active,
    k_op_name,
    k_key_count,
};

inline constexpr std::array<std::string_view, k_key_count> k_names = {
    "action",
    "addr",
    "device_free",
    "size",
    "stream",
    "time_us",
    "frames",
    "compile_context",
    "user_metadata",
    "internal_metadata",
    "category",
    "pool_id",
    "forward_frames",
    "filename",
    "line",
    "name",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "host_segments",
    "host_traces",
    "fx_node_op",
    "fx_node_name",
    "fx_node_target",
    "fx_original_trace",
    "fx_node_info",
    "allocated",
    "active",
    "op_name",
};

}  // namespace snapviewer::keys

namespace snapviewer {

/// A value on a reader's stack. Lists and dicts are indexes into ObjectBuilder.
struct Value {
    enum class Kind : std::uint8_t { none, boolean, integer, real, string, list, dict };
    Kind kind = Kind::none;
    std::uint64_t bits = 0;  ///< integer: two's complement, or unsigned from 2^63 on; real: the double's bits; else an index

    bool operator==(const Value&) const = default;
    static Value integer(std::uint64_t bits) { return {Kind::integer, bits}; }
    static Value string(StringId id) { return {Kind::string, id.value}; }
    std::uint32_t index() const { return static_cast<std::uint32_t>(bits); }
};

/// Turns the lists and dicts of a snapshot directly into the columns of a Snapshot, in the order in which a reader finds
/// them.
///
/// Builds no tree of objects: a dict with the keys of an event, a frame, a segment or a block becomes a row at once, a list
/// of frames becomes an interned stack, and a list of rows becomes a range of rows. Other values are few and are kept
/// unchanged. Members throw Failure (without offset) if the objects are not nested as they must be, or if the file
/// exceeds its budget. A value that is impossible for its key is remembered with its row; finish() leaves out that row, and
/// for a device all rows after it.
class ObjectBuilder {
public:
    /// `budget` must outlive this.
    explicit ObjectBuilder(Budget& budget);

    Snapshot& snapshot() { return *snapshot_; }
    const Snapshot& snapshot() const { return *snapshot_; }
    /// Sets the function that returns the reader's position in the file, for damage that is found now and thrown by
    /// finish(). It must stay callable as long as values are added.
    void set_place(std::function<std::uint64_t()> place) { place_ = std::move(place); }

    Value new_list();
    Value new_dict();
    void append(Value list, std::span<const Value> items);
    /// `pairs` contains keys and values in turn.
    void set_items(Value dict, std::span<const Value> pairs);
    /// Adds one key and value. The kind of row is decided when the dict is appended to a list.
    void set_item(Value dict, Value key, Value value);
    /// Counts a key that occurs twice in one dict of JSON text; the last value applies.
    void note_duplicate_key(Value key) {
        ++odd_keys_;
        if (++duplicate_keys_ == 1) first_duplicate_key_ = key.index();
    }
    /// Number of duplicate and unknown keys so far.
    std::uint64_t odd_keys() const { return odd_keys_; }

    /// True for a list without items; for values that are still open when the input breaks off.
    bool is_empty(Value list) const { return lists_[list.index()].kind == List::Kind::empty; }
    bool is_finished(Value dict) const;
    /// Number of traces of an outermost object, the last one perhaps incomplete. nullopt unless the input broke off in the
    /// traces, behind all segments.
    std::optional<std::size_t> traces_begun(Value root) const;

    /// The frame of a value, or none(). Lets a reader handle runs of frames without touching each value.
    FrameId as_frame(Value value) const {
        if (value.kind != Value::Kind::dict) return FrameId::none();
        const Dict& dict = dicts_[value.index()];
        return dict.kind == Dict::Kind::frame ? FrameId{dict.row} : FrameId::none();
    }
    /// Number of frames that a later item changed into other frames.
    std::uint64_t frame_changes() const { return frame_changes_; }
    /// Sets a list to the frames of a stack.
    void fill_with_stack(Value list, StackId stack) {
        lists_[list.index()] = {List::Kind::stack, Dict::Kind::other, false, stack.value, 0};
    }

    /// Appends a new event to a list of events. Returns false and does nothing if `list` has other items or `dict` is no
    /// event.
    bool append_event(Value list, Value dict);

    /// Sizes of the tables of lists and dicts, as a mark for forget_newer().
    struct Numbers {
        std::size_t lists = 0;
        std::size_t dicts = 0;
        std::size_t lists_of_values = 0;
        std::size_t dicts_of_pairs = 0;
        std::size_t kept_values = 0;
    };
    Numbers numbers() const {
        return {lists_.size(), dicts_.size(), lists_of_values_.size(), dicts_of_pairs_.size(), kept_values_};
    }
    /// Removes all lists and dicts that were added since the mark. For frames and events of formats that mention nothing
    /// twice, once their list holds them.
    void forget_newer(Numbers mark);

    /// Reserves address space for the events that a file of this size can hold, so that the columns need not move as they
    /// grow. Unused space takes no memory.
    void expect(std::uint64_t file_bytes);

    /// Pre-faults pages for about as many rows as were added since the last call.
    void prepare_room();

    /// Publishes the events read so far, in the totals and to the observer. Only while reading.
    void show();
    /// Throws if the whole file will not fit into memory, judging by the rows that show() saw.
    void check_room(std::uint64_t read_bytes, std::uint64_t file_bytes) const;

    /// Makes the snapshot from the outermost object, and empties the builder. If a trace or a list of segments contains a
    /// wrong value, keeps the rows before it; damage() says so.
    std::unique_ptr<Snapshot> finish(Value root);
    /// The first wrong value that finish() met outside pinned host memory.
    const std::optional<Failure>& damage() const { return damage_; }
    /// Makes the snapshot from outermost objects that are lists of events of one device, in this order.
    std::unique_ptr<Snapshot> finish_events(std::span<const Value> roots);
    /// Throws if an outermost object is not a list of events.
    void check_events(Value root) const;

private:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;
    static constexpr std::uint16_t k_no_stream = 0xFFFF;  ///< stream of a segment whose dict is incomplete

    struct Dict {
        enum class Kind : std::uint8_t { other, event, frame, segment, block };
        Kind kind = Kind::other;
        bool is_open = false;   ///< items arrive one by one
        std::uint32_t row = 0;  ///< index in the table of its kind; k_none for a dict without keys
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

    /// Fields that only segments of pinned host memory have. Such a segment may be one block without a list of blocks.
    struct FlatSegment {
        std::optional<std::uint64_t> size_bytes;
        std::optional<bool> is_allocated, is_active;
        std::optional<BlockState> block_state;
    };
    /// Values in a list of rows that are not rows of its kind.
    struct Stray {
        std::uint64_t count = 0;
        std::uint32_t rows_before = 0;
        std::optional<std::uint64_t> offset;  ///< of the first such value
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

    /// The code under which unknown keys of a kind of dict are reported, and the name of that kind.
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
    /// Replaces the map, because clear() takes time in proportion to its largest size.
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
    const Value* find(std::uint32_t dict, std::uint32_t key);
    static std::vector<std::size_t> last_of_each_key(std::span<const Value> pairs);
    std::string json_of(Value value) const;
    void write_json(Value value, int depth, std::string& out) const;

    [[nodiscard]] Error placed(Failure& failure) const;
    void note_damage(Dict::Kind kind, std::uint32_t row, Failure& failure);
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

    Budget& budget_;
    std::unique_ptr<Snapshot> snapshot_;
    std::size_t kept_values_ = 0;
    std::map<std::pair<Dict::Kind, std::uint32_t>, std::uint64_t> unknown_keys_;
    std::uint64_t more_unknown_keys_ = 0;  ///< keys of further kinds
    std::uint64_t unknown_root_keys_ = 0;
    std::uint64_t duplicate_keys_ = 0;
    std::uint64_t odd_keys_ = 0;
    std::uint64_t frame_changes_ = 0;
    std::function<std::uint64_t()> place_;
    std::map<std::pair<Dict::Kind, std::uint32_t>, Error> damaged_rows_;
    std::optional<Failure> damage_;  ///< the first damage that was found
    std::uint32_t damages_ = 0;
    std::map<std::uint32_t, Stray> strays_;                                    ///< by list
    std::optional<Error> damaged_frame_;                                       ///< the most recent one
    std::unordered_map<std::uint32_t, FlatSegment, KeyedHash> flat_segments_;  ///< by row
    std::string rank_;  ///< rank whose snapshot is being finished; empty if the file holds one snapshot
    std::map<std::int32_t, std::int32_t> rank_devices_;  ///< numbers under which the devices of that rank are shown
    std::uint64_t host_left_out_ = 0;
    std::string first_left_out_;
    std::uint32_t first_duplicate_key_ = 0;
    std::vector<List> lists_;
    std::vector<Dict> dicts_;
    std::vector<std::vector<Value>> lists_of_values_;
    std::vector<std::vector<Value>> dicts_of_pairs_;
    /// The first unprocessed pair of an open dict, if it is not 0.
    std::unordered_map<std::uint32_t, std::size_t, KeyedHash> open_from_;

    /// Positions of the known keys in a large dict, so that it is searched only once.
    struct KeyPlaces {
        std::size_t seen = 0;
        std::array<std::size_t, keys::k_key_count> value_at{};  ///< 0 if the key is missing
    };
    std::unordered_map<std::uint32_t, KeyPlaces, KeyedHash> large_dicts_;  ///< by row
    /// texts made from lists and dicts; only valid until these change
    std::unordered_map<std::uint64_t, StringId, KeyedHash> texts_;
    std::size_t text_lists_ = 0;  ///< lists from this index on are in no text of texts_
    std::size_t text_dicts_ = 0;
    EventColumns events_;                    ///< of all devices, in the order of the file
    std::vector<std::uint32_t> event_runs_;  ///< the first row of every list of events
    std::size_t shown_events_ = 0;
    std::uint64_t shown_actions_ = 0;  ///< allocs and frees among them
    GrowthAhead<10> growth_;
    std::vector<Segment> segments_;
    std::vector<std::uint32_t> segment_block_lists_;  ///< parallel to segments_: index into lists_, or k_none
    std::vector<BlockRow> blocks_;

    std::vector<std::uint8_t> action_of_string_;  ///< indexed by StringId; 0xFF means not looked up
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
    struct PoolHash {
        KeyedHash hash;
        std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& pool) const { return hash(&pool, sizeof(pool)); }
    };
    std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::uint16_t, PoolHash> pool_indices_;
};

}  // namespace snapviewer
