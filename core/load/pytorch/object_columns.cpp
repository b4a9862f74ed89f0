#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/load/bytes/limits.h"
#include "core/load/pytorch/object_builder.h"
#include "core/system/memory.h"
#include "core/trace/snapshot.h"

/// The part of ObjectBuilder that numbers what comes again and again: actions, streams, pools, metadata.
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
    snapshot_->log.add("unknown_action", {}, {"with an unknown action, kept but not drawn: '" + std::string(text) + "'"});
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
    const auto [known, is_new] = pool_indices_.try_emplace(key, static_cast<std::uint16_t>(pools.size()));
    if (is_new && pools.size() >= limits::k_pools) fail_beyond("has more than 65534 pools");
    if (is_new) pools.push_back(key);
    return known->second;
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

// The part of ObjectBuilder that knows what its rows take: room, memory, the budget.

namespace {

/// Minimum size of an event in a file of many events: an event whose stack has occurred before.
constexpr std::uint64_t k_event_bytes = 48;
/// Maximum memory of a complete document for each event, and in addition for each alloc or free, which has a tick in the
/// timeline, a place in the picture and half an allocation.
constexpr double k_held_bytes_an_event = 37;
constexpr double k_held_bytes_an_action = 100;
/// Limits reserved address space to one row for so many bytes of available memory. Otherwise a process with limited address
/// space would fail without a useful error.
constexpr std::uint64_t k_available_bytes_a_row = 128;
constexpr std::uint64_t k_telling_bytes = 16 << 20;  // minimum that is read of a file before its memory is estimated

}  // namespace

void ObjectBuilder::expect(std::uint64_t file_bytes) {
    // A file that comes from elsewhere may promise any size, and its account grows only with what has come.
    const std::uint64_t most =
        std::min(available_memory_bytes(), budget_.account().limit_bytes() / 2) / k_available_bytes_a_row;
    const auto count = static_cast<std::size_t>(std::min(file_bytes / k_event_bytes, most));
    lists_.reserve(count);
    dicts_.reserve(count);
    events_.reserve(count);
}

/// Returns the rows [begin, end) of the device with the most events, without the newest event, which may be incomplete.
std::pair<std::size_t, std::size_t> ObjectBuilder::longest_event_run() const {
    std::pair<std::size_t, std::size_t> longest;
    for (std::size_t i = 0; i < event_runs_.size(); ++i) {
        const std::size_t end = i + 1 < event_runs_.size() ? event_runs_[i + 1] : events_.size() - 1;
        const std::size_t first = event_runs_[i];
        if (end > first && end - first > longest.second - longest.first) longest = {first, end};
    }
    return longest;
}

void ObjectBuilder::show() {
    Progress* const progress = Context::current().progress;
    if (progress == nullptr) return;
    for (; shown_events_ < events_.size(); ++shown_events_) {
        const auto size_bytes = static_cast<std::int64_t>(events_.size_bytes[shown_events_]);
        const Action action = events_.action[shown_events_];
        shown_actions_ += action == Action::alloc || action == Action::free_completed ? 1 : 0;
        progress->totals().add(action == Action::alloc ? size_bytes : action == Action::free_completed ? -size_bytes : 0);
    }
    Observer* observer = progress->observer();
    if (observer == nullptr || !observer->wants_to_look()) return;
    const auto run = longest_event_run();
    const std::size_t count = run.second - run.first;
    if (count == 0) return;
    observer->look(*snapshot_, count, [&] {
        DeviceTrace device;
        device.events = events_.slice(run.first, count);
        return device;
    });
}

void ObjectBuilder::check_room(std::uint64_t read_bytes, std::uint64_t file_bytes) const {
    if (read_bytes < k_telling_bytes) return;
    const double so_far = k_held_bytes_an_event * static_cast<double>(shown_events_) +
                          k_held_bytes_an_action * static_cast<double>(shown_actions_);
    const double whole = static_cast<double>(std::max(file_bytes, read_bytes)) / static_cast<double>(read_bytes);
    need_ok(budget_.check_estimate(static_cast<std::uint64_t>(so_far * whole)));
}

void ObjectBuilder::prepare_room() {
    std::apply([&](const auto&... columns) { growth_.look(columns..., lists_, dicts_); },
               EventColumns::fields(std::as_const(events_)));
}

}  // namespace snapviewer
