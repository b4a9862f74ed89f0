/// The part of ObjectBuilder that numbers what comes again and again: actions, streams, pools, metadata.
#include <string>
#include <string_view>

#include "core/load/limits.h"
#include "core/load/object_builder.h"

namespace snapviewer {
namespace {

constexpr std::uint8_t k_action_not_asked = 0xFF;
constexpr std::string_view k_paddles_mark = "annotation";

/// Throws for a file that needs more than the columns can hold, as opposed to damage of one row.
[[noreturn]] void fail_beyond(const char* what) { throw Failure{{ErrorCode::unsupported, what}}; }

}  // namespace

Action ObjectBuilder::action_of(StringId name) {
    if (name.value >= action_of_string_.size()) action_of_string_.resize(name.value + 1, k_action_not_asked);
    std::uint8_t& known = action_of_string_[name.value];
    if (known != k_action_not_asked) return static_cast<Action>(known);
    const std::string_view text = snapshot_->strings.view(name);
    const auto named_count = static_cast<std::uint8_t>(Action::first_unnamed);
    for (std::uint8_t i = 0; i < named_count; ++i) {
        if (action_name(*snapshot_, static_cast<Action>(i)) == text) return static_cast<Action>(known = i);
    }
    if (text == k_paddles_mark) return static_cast<Action>(known = static_cast<std::uint8_t>(Action::annotate));
    if (snapshot_->other_actions.size() >= limits::k_unnamed_actions) fail_beyond("has too many kinds of action");
    snapshot_->log.add(ImportCode::unknown_action,
                       "events with an unknown action, kept but not drawn: '" + std::string(text) + "'");
    snapshot_->other_actions.emplace_back(text);
    return static_cast<Action>(known = static_cast<std::uint8_t>(named_count + snapshot_->other_actions.size() - 1));
}

std::uint16_t ObjectBuilder::stream_of_other(std::uint64_t raw) {
    std::vector<std::uint64_t>& streams = snapshot_->streams;
    const auto [known, is_new] = stream_indices_.try_emplace(raw, static_cast<std::uint16_t>(streams.size()));
    if (is_new && streams.size() >= limits::k_streams) fail_beyond("has more than 65535 streams");
    last_stream_ = raw;
    last_stream_index_ = known->second;
    if (is_new) streams.push_back(raw);
    return last_stream_index_;
}

std::uint16_t ObjectBuilder::pool_of(Value pair) {
    if (pair.kind == Value::Kind::none) return k_no_pool;
    const std::span<const Value> ids =
        pair.kind == Value::Kind::list ? items_of(lists_[pair.index()]) : std::span<const Value>{};
    if (ids.size() != 2) fail("a pool id is not a pair");
    const std::pair key{static_cast<std::int64_t>(integer_of(ids[0], "pool_id")),
                        static_cast<std::int64_t>(integer_of(ids[1], "pool_id"))};
    auto& pools = snapshot_->pools;
    if (last_pool_index_ != k_no_pool && key == last_pool_) return last_pool_index_;
    const auto [known, is_new] = pool_indices_.try_emplace(key, static_cast<std::uint16_t>(pools.size()));
    if (is_new && pools.size() >= limits::k_pools) fail_beyond("has more than 65534 pools");
    if (is_new) pools.push_back(key);
    last_pool_ = key;
    return last_pool_index_ = known->second;
}

MetadataId ObjectBuilder::intern_metadata(const EventMetadata& metadata) {
    if (metadata == EventMetadata{}) return MetadataId::none();
    if (metadata == last_metadata_) return last_metadata_id_;
    const auto [entry, is_new] =
        metadata_ids_.try_emplace(metadata, MetadataId{static_cast<std::uint32_t>(snapshot_->metadata.size())});
    if (is_new) snapshot_->metadata.push_back(metadata);
    last_metadata_ = metadata;
    last_metadata_id_ = entry->second;
    return entry->second;
}

}  // namespace snapviewer
