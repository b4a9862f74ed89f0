#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

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
};

}  // namespace snapviewer
