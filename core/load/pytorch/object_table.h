#pragma once

#include <array>
#include <cstdint>
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

namespace snapviewer {

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
        bool is_open = false;        ///< Its items arrive one by one, so its kind is not decided yet
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
    std::unordered_map<std::uint32_t, FlatSegment, KeyedHash> flat_segments;  ///< By row in `segments`
    std::vector<BlockRow> blocks;

    /// Positions of the known keys in a large dict, so that find() goes through the dict only once.
    struct KeyPlaces {
        std::size_t seen = 0;
        std::array<std::size_t, k_known_keys.size()> value_at{};  ///< 0 if the key is missing
    };
    std::unordered_map<std::uint32_t, KeyPlaces, KeyedHash> large_dicts;  ///< By index in dicts_of_pairs

private:
    void write_json(Value value, int depth, std::string& out) const;
};

/// Returns what rows of a kind are called in messages: "events".
const char* plural_of(ObjectTable::Dict::Kind kind);

}  // namespace snapviewer
