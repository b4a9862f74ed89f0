#include "core/load/pytorch/interning.h"

#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/limits.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_paddle_mark = "annotation";  // PaddlePaddle's name for an action `annotate`

[[noreturn]] void fail_full(const char* what) { throw Failure{{ErrorCode::unsupported, what}}; }

}  // namespace

Action Interner::new_action(StringId name) {
    if (name.value >= actions_.size()) actions_.resize(name.value + 1, k_unknown_action);
    std::uint8_t& known = actions_[name.value];
    const std::string_view text = snapshot_.strings.view(name);
    const auto named_count = static_cast<std::uint8_t>(Action::first_unnamed);
    for (std::uint8_t i = 0; i < named_count; ++i) {
        if (action_name(snapshot_, static_cast<Action>(i)) == text) return static_cast<Action>(known = i);
    }
    if (text == k_paddle_mark) return static_cast<Action>(known = static_cast<std::uint8_t>(Action::annotate));
    if (snapshot_.other_actions.size() >= limits::k_unnamed_actions) fail_full("has too many kinds of action");
    snapshot_.log.add("unknown_action", {}, {"with an unknown action, kept but not drawn: '" + std::string(text) + "'"});
    snapshot_.other_actions.emplace_back(text);
    return static_cast<Action>(known = static_cast<std::uint8_t>(named_count + snapshot_.other_actions.size() - 1));
}

std::uint16_t Interner::other_stream(std::uint64_t raw) {
    std::vector<std::uint64_t>& streams = snapshot_.streams;
    const auto [known, is_new] = streams_.try_emplace(raw, static_cast<std::uint16_t>(streams.size()));
    if (is_new && streams.size() >= limits::k_streams) fail_full("has more than 65535 streams");
    if (is_new) streams.push_back(raw);
    last_stream_ = raw;
    return last_stream_index_ = known->second;
}

std::uint16_t Interner::pool(const Pool& pool) {
    auto& pools = snapshot_.pools;
    const auto [known, is_new] = pools_.try_emplace(pool, static_cast<std::uint16_t>(pools.size()));
    if (is_new && pools.size() >= limits::k_pools) fail_full("has more than 65534 pools");
    if (is_new) pools.push_back(pool);
    return known->second;
}

MetadataId Interner::metadata(const EventMetadata& metadata) {
    if (metadata == EventMetadata{}) return MetadataId::none();
    if (metadata == last_metadata_) return last_metadata_id_;
    auto& all = snapshot_.metadata;
    const auto [known, is_new] = metadata_.try_emplace(metadata, MetadataId{static_cast<std::uint32_t>(all.size())});
    if (is_new) all.push_back(metadata);
    last_metadata_ = metadata;
    return last_metadata_id_ = known->second;
}

}  // namespace snapviewer
