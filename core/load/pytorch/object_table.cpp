#include "core/load/pytorch/object_table.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/sources.h"

namespace snapviewer::pytorch {
namespace {

constexpr std::size_t k_max_searched_values = 64;  // maximum size of a dict that is searched faster than indexed
constexpr std::size_t k_max_described_keys = 5;    // maximum number of keys in the description of a dict
constexpr std::size_t k_max_described_bytes = 40;  // maximum bytes of a text in a description

std::string quoted_start(std::string_view text) { return json_quoted(shortened(text, k_max_described_bytes)); }

constexpr std::string_view k_paddle_mark = "annotation";  // PaddlePaddle's name for an action `annotate`

[[noreturn]] void fail_full(const char* what) { throw Failure{{ErrorCode::unsupported, what}}; }

}  // namespace

bool Value::is_absent() const {
    return kind == Kind::none || (kind == Kind::real && std::isnan(std::bit_cast<double>(bits)));
}

std::uint64_t Value::as_whole_number(const char* key) const {
    if (kind == Kind::boolean) return bits;
    const double real = kind == Kind::real ? std::bit_cast<double>(bits) : 0.5;
    if (real != std::floor(real) || real < -0x1p63 || real >= 0x1p64)
        bytes::fail(fmt::format("'{}' is not an integer", key));
    return real < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real)) : static_cast<std::uint64_t>(real);
}

StringId Value::as_string(const char* key) const {
    if (kind != Kind::string) bytes::fail(fmt::format("'{}' is not a string", key));
    return StringId{index()};
}

const char* plural_of(ObjectTable::Dict::Kind kind) {
    using enum ObjectTable::Dict::Kind;
    return kind == event ? "events" : kind == frame ? "frames" : kind == segment ? "segments" : "blocks";
}

ObjectTable::ObjectTable() : snapshot(std::make_unique<Snapshot>()) {
    for (const std::string_view name : k_known_keys) snapshot->strings.intern(name);
}

std::span<const Value> ObjectTable::items(Value value) const {
    if (value.kind != Value::Kind::list || list(value).kind != List::Kind::other) return {};
    return lists_of_values[list(value).first];
}

std::span<const Value> ObjectTable::pairs(Value value) const {
    if (value.kind != Value::Kind::dict || dict(value).kind != Dict::Kind::other || dict(value).row == k_none) return {};
    return dicts_of_pairs[dict(value).row];
}

const Value* ObjectTable::find(Value value, std::uint32_t key) {
    const std::span<const Value> all = pairs(value);
    if (all.size() <= k_max_searched_values) {
        for (std::size_t i = all.size() / 2 * 2; i > 0; i -= 2) {
            if (all[i - 2].is_key(key)) return &all[i - 1];
        }
        return nullptr;
    }
    KeyPlaces& places = large_dicts[dict(value).row];
    for (; places.seen + 1 < all.size(); places.seen += 2) {
        const Value& each = all[places.seen];
        if (each.kind == Value::Kind::string && each.bits < k_known_keys.size())
            places.value_at[each.bits] = places.seen + 1;
    }
    return places.value_at[key] == 0 ? nullptr : &all[places.value_at[key]];
}

std::string ObjectTable::description(Value value) const {
    switch (value.kind) {
        case Value::Kind::none: return "None";
        case Value::Kind::boolean: return "the value " + json(value);
        case Value::Kind::integer:
        case Value::Kind::real: return "the number " + json(value);
        case Value::Kind::string: return "the text " + quoted_start(text(value));
        case Value::Kind::list: {
            const List& that = list(value);
            if (that.kind == List::Kind::empty) return "an empty list";
            if (that.kind == List::Kind::stack) return "a list of frames";
            if (that.kind == List::Kind::run) return fmt::format("a list of {}", plural_of(that.run_of));
            return "a list of " + counted(items(value).size(), "value");
        }
        case Value::Kind::dict: break;
    }
    if (dict(value).kind != Dict::Kind::other)
        return fmt::format("a dict such as the {} of one", plural_of(dict(value).kind));
    if (dict(value).row == k_none) return "an empty dict";
    const std::span<const Value> all = pairs(value);
    std::string keys;
    for (std::size_t i = 0; i + 1 < all.size() && i < 2 * k_max_described_keys; i += 2) {
        keys += i == 0 ? "" : ", ";
        // Python allows no dict as a key, but a file may contain one, and even one that contains itself.
        keys += all[i].kind == Value::Kind::string ? quoted_start(text(all[i]))
                : all[i].kind == Value::Kind::dict ? "a dict"
                                                   : description(all[i]);
    }
    const std::size_t count = all.size() / 2;
    const std::string more = count > k_max_described_keys ? fmt::format(" and {} more", count - k_max_described_keys) : "";
    return fmt::format("a dict with the key{} {}{}", count == 1 ? "" : "s", keys, more);
}

std::string ObjectTable::json(Value value) const {
    std::string out;
    write_json(value, 0, out);
    check_stop();
    return out;
}

void ObjectTable::write_json(Value value, int depth, std::string& out) const {
    if (out.size() > limits::k_json_text_bytes || depth > limits::k_json_depth) {
        out += "\"...\"";
        return;
    }
    switch (value.kind) {
        case Value::Kind::none: out += "null"; break;
        case Value::Kind::boolean: out += value.bits != 0 ? "true" : "false"; break;
        case Value::Kind::integer: out += std::to_string(static_cast<std::int64_t>(value.bits)); break;
        case Value::Kind::real: {
            const double number = std::bit_cast<double>(value.bits);
            const std::string text = fmt::format("{}", number);
            out += std::isfinite(number) ? text : "\"" + text + "\"";  // JSON has no NaN and no infinities
            break;
        }
        case Value::Kind::string: out += json_quoted(text(value)); break;
        case Value::Kind::list: {
            out += '[';
            if (list(value).kind == List::Kind::run) out += fmt::format("\"... {} rows\"", list(value).count);
            if (list(value).kind == List::Kind::stack) out += "\"... a stack\"";
            const std::span<const Value> all = items(value);
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (i > 0) out += ", ";
                if (out.size() > limits::k_json_text_bytes) break;
                write_json(all[i], depth + 1, out);
            }
            out += ']';
            break;
        }
        case Value::Kind::dict: {
            out += '{';
            const std::span<const Value> all = pairs(value);
            for (std::size_t i = 0; i + 1 < all.size() && out.size() <= limits::k_json_text_bytes; i += 2) {
                if (i > 0) out += ", ";
                out += json_quoted(all[i].kind == Value::Kind::string ? text(all[i]) : "?") + ": ";
                write_json(all[i + 1], depth + 1, out);
            }
            out += '}';
            break;
        }
    }
}

Error Damage::located(Failure& failure) const {
    if (failure.error.code != ErrorCode::bad_file) throw std::move(failure);
    check_stop();
    if (!failure.error.offset && position_) failure.error.offset = position_();
    return std::move(failure.error);
}

void Damage::add_stray(Value list) {
    Strays& strays = strays_[list.index()];
    if (strays.count++ > 0) return;
    strays.rows_before = table_.list(list).count;
    if (position_) strays.offset = position_();
}

const Damage::Strays* Damage::strays(Value list) const {
    const auto found = strays_.find(list.index());
    return found == strays_.end() ? nullptr : &found->second;
}

void Damage::check_rows(Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const {
    const auto damaged = rows_.lower_bound({kind, first});
    if (damaged == rows_.end() || damaged->first >= std::pair(kind, first + count)) return;
    Error error = damaged->second;
    error.context = context;
    throw Failure{std::move(error)};
}

void Damage::check_list(Value list, Kind kind, const char* otherwise, const std::string& context) const {
    if (!table_.is_run(list, kind)) bytes::fail(otherwise, {}, context);
    if (const Strays* found = strays(list)) bytes::fail(otherwise, found->offset, context);
}

Damage::WholeRows Damage::whole_rows(Value value, Kind kind, const char* otherwise, const std::string& context) {
    const ObjectTable::List& list = table_.list(value);
    if (list.kind == ObjectTable::List::Kind::empty) return {};
    const bool is_run = table_.is_run(value, kind);
    const Strays* found = strays(value);
    const std::uint32_t count = !is_run ? 0 : found != nullptr ? found->rows_before : list.count;
    const auto damaged = rows_.lower_bound({kind, list.first});
    if (is_run && damaged != rows_.end() && damaged->first < std::pair(kind, list.first + count)) {
        add(damaged->second, context);
        return {damaged->first.second - list.first, false};
    }
    if (is_run && found == nullptr) return {count, true};
    add({ErrorCode::bad_file, otherwise, found != nullptr ? found->offset : std::nullopt, {}}, context);
    return {count, false};
}

void Damage::add(Error error, const std::string& context) {
    if (count_++ > 0) return;
    error.context = context;
    if (error.message.starts_with('\'')) error.message = "holds a wrong value: " + error.message;
    first_ = Failure{std::move(error), true, true};
}

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

StringId Interner::joined_lines(std::vector<StringId> lines) {
    const auto [known, is_new] = joined_lines_.try_emplace(std::move(lines), StringId::none());
    if (!is_new) return known->second;
    std::string text;
    for (const StringId line : known->first) {
        check_stop();
        if (!text.empty()) text += '\n';
        text += snapshot_.strings.view(line);
    }
    if (!text.empty()) known->second = snapshot_.strings.intern(text);
    return known->second;
}

}  // namespace snapviewer::pytorch
