/// The part of ObjectBuilder for files that hold the snapshots of several ranks: a dict by rank, or a list in their order.
#include <algorithm>
#include <iterator>

#include "core/base/number_text.h"
#include "core/load/object_builder.h"
#include "core/load/snapshot_keys.h"

namespace snapviewer {

/// True for a dict with traces or segments, and for the bare list of segments of old versions.
bool ObjectBuilder::is_snapshot(Value value) {
    if (value.kind == Value::Kind::list) {
        const List& list = lists_[value.index()];
        return list.kind == List::Kind::run && list.run_of == Dict::Kind::segment;
    }
    if (value.kind != Value::Kind::dict) return false;
    const Dict& dict = dicts_[value.index()];
    if (dict.kind != Dict::Kind::other || dict.row == k_none) return false;
    return find(dict.row, keys::k_device_traces) != nullptr || find(dict.row, keys::k_segments) != nullptr;
}

/// The snapshots in a dict or list, in its order; empty if there are none.
std::vector<ObjectBuilder::RankValue> ObjectBuilder::ranks_in(Value root) {
    std::vector<RankValue> ranks;
    if (root.kind == Value::Kind::list) {
        const std::span<const Value> items = items_of(lists_[root.index()]);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (is_snapshot(items[i])) ranks.push_back({std::to_string(i), items[i]});
        }
        return ranks;
    }
    if (root.kind != Value::Kind::dict || dicts_[root.index()].kind != Dict::Kind::other) return ranks;
    const Dict& dict = dicts_[root.index()];
    if (dict.row == k_none) return ranks;
    const std::span<const Value> pairs = dicts_of_pairs_[dict.row];
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (is_snapshot(pairs[i + 1])) ranks.push_back({rank_of_key(pairs[i], ranks.size()), pairs[i + 1]});
    }
    return ranks;
}

/// A number, or the number at the end of a text: 3, "3", "rank_3". Otherwise the place among the ranks.
std::string ObjectBuilder::rank_of_key(Value key, std::size_t place) const {
    if (key.kind == Value::Kind::integer) return std::to_string(static_cast<std::int64_t>(key.bits));
    if (key.kind == Value::Kind::string) {
        const std::string_view text = snapshot_->strings.view(StringId{key.index()});
        const std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
        if (const auto number = parse_number<std::uint32_t>(digits)) return std::to_string(*number);
    }
    return std::to_string(place);
}

void ObjectBuilder::finish_ranks(const std::vector<RankValue>& ranks) {
    for (const RankValue& rank : ranks) {
        rank_ = rank.name;
        rank_devices_.clear();
        finish_snapshot(rank.value);
    }
    rank_.clear();
}

/// The number under which a device of the current rank is shown: its own, unless another rank uses it.
std::int32_t ObjectBuilder::shown_device(std::int32_t device) {
    if (rank_.empty()) return device;
    const auto [number, is_new] = rank_devices_.try_emplace(device, device);
    if (!is_new) return number->second;
    std::int32_t furthest = device < 0 ? 0 : -1;
    bool is_taken = false;
    for (const DeviceTrace& trace : snapshot_->devices) {
        is_taken |= trace.device == device;
        if ((trace.device < 0) == (device < 0))
            furthest = device < 0 ? std::min(furthest, trace.device) : std::max(furthest, trace.device);
    }
    if (is_taken) number->second = furthest + (device < 0 ? -1 : 1);
    return number->second;
}

/// The device that an annotation of the rank belongs to. If the rank uses only one device, annotations belong to it
/// regardless of their own number.
std::int32_t ObjectBuilder::annotated_device(std::int32_t device) {
    const auto known = rank_devices_.find(device);
    if (known != rank_devices_.end()) return known->second;
    const auto first = rank_devices_.lower_bound(0);
    const bool is_only = first != rank_devices_.end() && std::next(first) == rank_devices_.end();
    return is_only ? first->second : shown_device(device);
}

}  // namespace snapviewer
