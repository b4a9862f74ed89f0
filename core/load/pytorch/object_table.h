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

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/trace/snapshot.h"

namespace snapviewer::pytorch {

/// Keys of PyTorch's memory snapshots that the readers know. ObjectTable interns them first and in this order, so that the
/// StringId of a key equals its index here.
inline constexpr auto k_known_keys = std::to_array<std::string_view>({"action",
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
                                                                      "op_name"});

/// Returns the index of `name` in k_known_keys. A name that is missing there does not compile.
consteval std::uint32_t key_id(std::string_view name) {
    for (std::uint32_t id = 0; id < k_known_keys.size(); ++id) {
        if (k_known_keys[id] == name) return id;
    }
    throw "k_known_keys does not contain this name";
}

/// A value on a reader's stack. Lists and dicts are indexes into an ObjectTable.
struct Value {
    enum class Kind : std::uint8_t { none, boolean, integer, real, string, list, dict };
    Kind kind = Kind::none;
    std::uint64_t bits = 0;  ///< integer: two's complement, or unsigned from 2^63 on; real: the double's bits; else an index

    bool operator==(const Value&) const = default;
    static Value integer(std::uint64_t bits) { return {Kind::integer, bits}; }
    static Value string(StringId id) { return {Kind::string, id.value}; }
    std::uint32_t index() const { return static_cast<std::uint32_t>(bits); }

    bool is_key(std::uint32_t id) const { return kind == Kind::string && index() == id; }
    /// True for None, and for NaN, which some programs write instead of None.
    bool is_absent() const;
    /// Returns the number of an integer, a boolean or a real without a fraction, as some programs write integers. Throws a
    /// Failure that names `key` for any other value.
    std::uint64_t as_integer(const char* key) const { return kind == Kind::integer ? bits : as_whole_number(key); }
    /// Throws a Failure that names `key` if this is not a string.
    StringId as_string(const char* key) const;

private:
    std::uint64_t as_whole_number(const char* key) const;
};

/// Everything that has been read of a snapshot: rows of events, segments and blocks, and the lists and dicts that are not
/// rows.
struct ObjectTable {
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;
    static constexpr std::uint16_t k_no_stream = 0xFFFF;  ///< Stream of a segment whose dict does not name one

    struct Dict {
        enum class Kind : std::uint8_t { other, event, frame, segment, block };
        Kind kind = Kind::other;
        bool is_open = false;        ///< The items arrive one by one, so the kind of the dict is not decided yet
        std::uint32_t row = k_none;  ///< Index in the table of its kind; k_none for a dict without items
    };
    struct List {
        enum class Kind : std::uint8_t { empty, stack, run, other };
        Kind kind = Kind::empty;
        Dict::Kind run_of = Dict::Kind::other;
        bool is_taken = false;    ///< The run already belongs to a device or segment; it may belong to one only
        std::uint32_t first = 0;  ///< stack: StackId; run: first row; other: index in lists_of_values
        std::uint32_t count = 0;  ///< Number of rows of a run
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

    ObjectTable();

    Dict& dict(Value value) { return dicts[value.index()]; }
    const Dict& dict(Value value) const { return dicts[value.index()]; }
    List& list(Value value) { return lists[value.index()]; }
    const List& list(Value value) const { return lists[value.index()]; }
    bool is_row(Value value, Dict::Kind kind) const { return value.kind == Value::Kind::dict && dict(value).kind == kind; }
    bool is_run(Value value, Dict::Kind kind) const {
        return value.kind == Value::Kind::list && list(value).kind == List::Kind::run && list(value).run_of == kind;
    }
    std::string_view text(Value string) const { return snapshot->strings.view(StringId{string.index()}); }

    /// Returns the items of a list that is neither a stack nor a run of rows. Returns nothing for any other value.
    std::span<const Value> items(Value value) const;
    /// Returns the keys and values, in turn, of a dict that is not a row. Returns nothing for any other value.
    std::span<const Value> pairs(Value value) const;
    /// Returns the last value of a key of k_known_keys in such a dict, or nullptr. The result is valid until the dict
    /// changes.
    const Value* find(Value dict, std::uint32_t key);

    /// Returns a value as JSON text, shortened if it is very long or deep.
    std::string json(Value value) const;
    /// Describes a value in words: "a dict with the keys ...".
    std::string description(Value value) const;

    std::unique_ptr<Snapshot> snapshot;
    std::vector<List> lists;
    std::vector<Dict> dicts;
    std::vector<std::vector<Value>> lists_of_values;  ///< Items of lists of the kind `other`
    std::vector<std::vector<Value>> dicts_of_pairs;   ///< Keys and values of dicts of the kind `other`
    EventColumns events;                              ///< Events of all devices, in the order of the file
    std::vector<Segment> segments;
    std::vector<std::uint32_t> segment_block_lists;  ///< Parallel to `segments`: index in `lists`, or k_none
    std::unordered_map<std::uint32_t, FlatSegment, KeyedHash> flat_segments;  ///< Indexed by the segment's row in `segments`
    std::vector<BlockRow> blocks;

    /// Positions of the known keys in a large dict, so that find() goes through the dict only once.
    struct KeyPlaces {
        std::size_t seen = 0;
        std::array<std::size_t, k_known_keys.size()> value_at{};  ///< Position of a key's value; 0 if the key is missing
    };
    std::unordered_map<std::uint32_t, KeyPlaces, KeyedHash> large_dicts;  ///< Indexed by the dict's place in dicts_of_pairs

private:
    void write_json(Value value, int depth, std::string& out) const;
};

/// Returns what rows of a kind are called in messages: "events".
const char* plural_of(ObjectTable::Dict::Kind kind);

/// The impossible values in a snapshot. Reading records them with their row or list, because their device is not known yet.
/// At the end, the rows of a device are used up to its first impossible value.
class Damage {
public:
    using Kind = ObjectTable::Dict::Kind;
    /// Values in a run of rows that are not rows of its kind.
    struct Strays {
        std::uint64_t count = 0;
        std::uint32_t rows_before = 0;        ///< Number of rows before the first value of another kind
        std::optional<std::uint64_t> offset;  ///< Byte offset of the first value of another kind
    };
    /// The rows of a list before the first impossible value.
    struct WholeRows {
        std::uint32_t count = 0;
        bool is_all = true;
    };

    /// `table` must outlive this.
    explicit Damage(const ObjectTable& table) : table_(table) {}

    /// Sets the function that returns the reader's position in the file. It must stay callable as long as values are read.
    void set_position(std::function<std::uint64_t()> position) { position_ = std::move(position); }
    /// Returns the error of a failure, with the current position if it has no offset. Rethrows failures that are not about
    /// the content of the file.
    [[nodiscard]] Error located(Failure& failure) const;

    // The next functions record impossible values while a file is being read.
    void add_row(Kind kind, std::uint32_t row, Failure& failure) { rows_.try_emplace({kind, row}, located(failure)); }
    void add_frame(Failure& failure) { frame_ = located(failure); }
    void add_stray(Value list);
    /// Forgets the lists with this index and all later ones.
    void drop_lists(std::size_t from) {
        strays_.erase(strays_.lower_bound(static_cast<std::uint32_t>(from)), strays_.end());
    }
    /// The damage of the most recent impossible frame.
    const std::optional<Error>& frame() const { return frame_; }

    // The next functions are for the end of reading. `context` names the part of the file in errors, and `otherwise` is the
    // message about values that are not rows of the kind.
    const Strays* strays(Value list) const;
    /// Throws the damage of the first damaged row, if there is one.
    void check_rows(Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const;
    /// Throws unless `list` contains rows of this kind and nothing else.
    void check_list(Value list, Kind kind, const char* otherwise, const std::string& context) const;
    /// Returns the rows of `list` before the first damaged row and the first value of another kind, which is added to the
    /// damage of the snapshot.
    WholeRows whole_rows(Value list, Kind kind, const char* otherwise, const std::string& context);
    /// Adds damage of the snapshot.
    void add(Error error, const std::string& context);
    std::uint32_t count() const { return count_; }  ///< Number of calls of add() so far
    /// The first damage of the snapshot, outside pinned host memory.
    const std::optional<Failure>& first() const { return first_; }

private:
    const ObjectTable& table_;
    std::function<std::uint64_t()> position_;
    std::map<std::pair<Kind, std::uint32_t>, Error> rows_;  ///< Damage of a row, by the kind and number of the row
    std::map<std::uint32_t, Strays> strays_;  ///< Values of a kind that a list must not contain, by the list's index
    std::optional<Error> frame_;
    std::optional<Failure> first_;
    std::uint32_t count_ = 0;
};

/// Numbers the values that recur in the rows of a snapshot, and adds each new one to the snapshot's tables. Members throw a
/// Failure with ErrorCode::unsupported if a table is full.
class Interner {
public:
    using Pool = std::pair<std::int64_t, std::int64_t>;

    /// `snapshot` must outlive this.
    explicit Interner(Snapshot& snapshot) : snapshot_(snapshot) {}

    /// Returns the action with a name. Logs an unknown name, and gives it an action of its own.
    Action action(StringId name) {
        const bool is_known = name.value < actions_.size() && actions_[name.value] != k_unknown_action;
        return is_known ? static_cast<Action>(actions_[name.value]) : new_action(name);
    }
    std::uint16_t stream(std::uint64_t raw) { return raw == last_stream_ ? last_stream_index_ : other_stream(raw); }
    std::uint16_t pool(const Pool& pool);
    /// Returns none() if no field of `metadata` is set.
    MetadataId metadata(const EventMetadata& metadata);
    /// Returns the text that consists of these lines, or none() if it is empty; a line that is none() is empty. Lists that
    /// are equal are joined once, so that many lists of one long line take little time.
    StringId joined_lines(std::vector<StringId> lines);

private:
    static constexpr std::uint8_t k_unknown_action = 0xFF;

    /// Hashes the bytes of a key without padding.
    struct BytesHash {
        KeyedHash hash;
        template <typename Key>
        std::size_t operator()(const Key& key) const {
            return hash(&key, sizeof(key));
        }
    };

    Action new_action(StringId name);
    std::uint16_t other_stream(std::uint64_t raw);

    Snapshot& snapshot_;
    std::vector<std::uint8_t> actions_;  ///< Action by StringId, or k_unknown_action
    std::uint64_t last_stream_ = ~0ULL;
    std::uint16_t last_stream_index_ = 0;
    EventMetadata last_metadata_;
    MetadataId last_metadata_id_;
    std::unordered_map<std::uint64_t, std::uint16_t, KeyedHash> streams_;
    std::unordered_map<Pool, std::uint16_t, BytesHash> pools_;
    std::unordered_map<EventMetadata, MetadataId, BytesHash> metadata_;
    std::map<std::vector<StringId>, StringId> joined_lines_;
};

}  // namespace snapviewer::pytorch
