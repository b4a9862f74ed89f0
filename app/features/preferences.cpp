#include "app/features/preferences.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "app/features/preferences_file.h"
#include "core/base/addresses.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

using Kind = OverlayItem::Kind;

/// The first curve with this role, or null.
const Curve* find_curve(const Overlays& overlays, CurveRole role) {
    const auto found = std::ranges::find(overlays.curves, role, &Curve::role);
    return found == overlays.curves.end() ? nullptr : &*found;
}

/// The first curve of reserved memory, either of the allocator or of the whole process, or null.
const Curve* find_reserved(const Overlays& overlays) {
    const auto is_reserved = [](const Curve& curve) {
        return curve.role() == CurveRole::reserved || curve.role() == CurveRole::process;
    };
    const auto found = std::ranges::find_if(overlays.curves, is_reserved);
    return found == overlays.curves.end() ? nullptr : &*found;
}

}  // namespace

GapCurves gap_curves(const Overlays& overlays) {
    const GapCurves gap{find_curve(overlays, overlays.in_use), find_reserved(overlays)};
    return gap.lower != nullptr && gap.upper != nullptr ? gap : GapCurves{};
}

std::vector<OverlayItem> overlay_items(const Overlays& overlays, const OverlayChoice& choice) {
    std::vector<OverlayItem> items;
    const auto add = [&](Kind kind, std::size_t index, const std::string& id, const std::string& name,
                         const std::string& doc, bool by_default) {
        const auto chosen = choice.find(id);
        items.push_back({kind, index, id, name, doc, chosen == choice.end() ? by_default : chosen->second});
    };
    const Curve* reserved = find_reserved(overlays);
    // If the file has allocations, their outline already shows the memory in use, so the curves of allocated and active
    // memory are off by default.
    const Curve* allocated = overlays.has_allocations ? nullptr : find_curve(overlays, CurveRole::allocated);
    const Curve* active = overlays.has_allocations ? nullptr : find_curve(overlays, CurveRole::active);
    for (std::size_t i = 0; i < overlays.curves.size(); ++i) {
        const Curve& curve = overlays.curves[i];
        add(Kind::curve, i, curve.title().id, curve.name(), curve.doc(),
            &curve == reserved || &curve == allocated || &curve == active || i < overlays.stack_tops.size());
        items.back().role = curve.role();
        items.back().is_stacked = i < overlays.stack_tops.size();
    }
    if (gap_curves(overlays).lower != nullptr) {
        add(Kind::gap, 0, "gap", "gap", "Shades memory that is reserved but not in use: cached, or lost to fragmentation",
            true);
    }
    for (std::size_t i = 0; i < overlays.levels.size(); ++i) {
        add(Kind::level, i, overlays.levels[i].id, overlays.levels[i].name, overlays.levels[i].doc, false);
    }
    if (overlays.has_allocations) {
        add(Kind::peak_line, 0, "peak_line", "peak line", "A line at the largest total of all allocations", true);
    }
    if (!overlays.markers.empty()) {
        add(Kind::markers, 0, "markers", "markers", "Flags at the peak, out of memory, snapshots and annotations", true);
    }
    if (!overlays.pending.empty()) {
        add(Kind::pending, 0, "pending_frees", "pending frees",
            "Hatches memory that was freed but still waited for another stream", true);
    }
    return items;
}

bool has_content(const BandTrack& track) { return !track.bands.empty() || !track.note.empty(); }
bool has_content(const CurveTrack& track) { return !track.curves.empty() || !track.note.empty(); }

bool has_tracks(const Overlays& overlays) {
    const auto is_one = [](const auto& track) { return has_content(track); };
    return std::ranges::any_of(overlays.band_tracks, is_one) || std::ranges::any_of(overlays.curve_tracks, is_one);
}

double shown_top_bytes(const Overlays& overlays, const OverlayChoice& choice) {
    double top = 0;
    for (const OverlayItem& item : overlay_items(overlays, choice)) {
        if (!item.is_shown) continue;
        if (item.kind == Kind::curve)
            top = std::max(top, (item.is_stacked ? overlays.stack_tops : overlays.curves)[item.index].highest());
        if (item.kind == Kind::level) top = std::max(top, overlays.levels[item.index].bytes);
    }
    return top;
}

namespace {

namespace fs = std::filesystem;
using JsonValue = nlohmann::json;

constexpr std::size_t k_recent_limit = 12;
constexpr std::size_t k_history_limit = 200;
constexpr std::size_t k_saved_limit = 100;
constexpr std::size_t k_text_limit_bytes = std::size_t{64} * 1024;
constexpr std::array k_theme_names = {"system", "dark", "light"};
constexpr std::array k_interface_scales = {0.7F, 0.8F, 0.9F, 1.0F, 1.1F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

/// The key of a text that is not UTF-8. It is stored percent-encoded, because JSON strings must be UTF-8.
constexpr const char* k_encoded_key = "percent_encoded";

/// A text for JSON: a string, or an object with the bytes of a text that is not UTF-8, such as the path of a file.
JsonValue text_json(const std::string& text) {
    if (valid_utf8(text) == text) return text;
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && c != '%')
            encoded += c;
        else
            encoded += fmt::format("%{:02x}", byte);
    }
    return {{k_encoded_key, encoded}};
}

/// Inverse of text_json(); nullopt for anything else.
std::optional<std::string> text_of(const JsonValue& item) {
    if (item.is_string()) return item.get<std::string>();
    const auto found = item.is_object() ? item.find(k_encoded_key) : item.end();
    if (found == item.end() || !found->is_string()) return std::nullopt;
    const std::string_view encoded = found->get_ref<const std::string&>();
    std::string text;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        const bool is_escape = encoded[i] == '%' && i + 2 < encoded.size();
        const auto byte = is_escape ? parse_number<std::uint8_t>(encoded.substr(i + 1, 2), 16) : std::nullopt;
        text += byte ? static_cast<char>(*byte) : encoded[i];
        if (byte) i += 2;
    }
    return text;
}

std::vector<std::string> texts_in(const JsonValue& value) {
    std::vector<std::string> texts;
    if (!value.is_array()) return texts;
    for (const JsonValue& item : value) {
        std::optional<std::string> text = text_of(item);
        if (text && text->size() <= k_text_limit_bytes) texts.push_back(*std::move(text));
    }
    return texts;
}

JsonValue texts_json(const std::vector<std::string>& texts) {
    JsonValue array = JsonValue::array();
    for (const std::string& text : texts) array.push_back(text_json(text));
    return array;
}

/// Converts the name of an overlay from a preferences file to its id. Earlier versions stored the text of the legend, such
/// as "peak line".
std::string overlay_id(std::string remembered) {
    std::ranges::replace(remembered, ' ', '_');
    return lower_case(remembered);
}

void keep_first(std::vector<std::string>& texts, std::size_t limit) {
    if (texts.size() > limit) texts.resize(limit);
}

void keep_last(std::vector<std::string>& texts, std::size_t limit) {
    if (texts.size() > limit) texts.erase(texts.begin(), texts.end() - static_cast<std::ptrdiff_t>(limit));
}

/// Describes a list of texts in the preferences. New entries are added at one end; using an entry again moves it to that
/// end.
struct TextList {
    const char* key;
    std::vector<std::string> Preferences::*texts;
    bool newest_first;
    std::size_t limit;
    bool is_tended;  ///< true if single entries can be removed; other lists only drop their oldest entries
};
constexpr TextList k_lists[] = {{"recent_files", &Preferences::recent_files, true, k_recent_limit, false},
                                {"recent_places", &Preferences::recent_places, true, k_recent_limit, false},
                                {"query_history", &Preferences::query_history, false, k_history_limit, false},
                                {"saved_queries", &Preferences::saved_queries, true, k_saved_limit, true}};

/// One preference: its key, and how it is written and read. A value of the wrong type is ignored.
struct PreferenceRow {
    std::string key;
    std::function<JsonValue(const Preferences&)> written;
    std::function<void(Preferences&, const JsonValue&)> read;
};

template <typename Field>
PreferenceRow flag(const char* key, Field field) {
    return {key, [field](const Preferences& settings) { return JsonValue(field(settings)); },
            [field](Preferences& settings, const JsonValue& value) {
                if (value.is_boolean()) field(settings) = value.get<bool>();
            }};
}

template <typename Field>
PreferenceRow number(const char* key, Field field, double low, double high) {
    return {key, [field](const Preferences& settings) { return JsonValue(field(settings)); },
            [field, low, high](Preferences& settings, const JsonValue& value) {
                using Number = std::remove_reference_t<decltype(field(settings))>;
                if (value.is_number()) field(settings) = static_cast<Number>(std::clamp(value.get<double>(), low, high));
            }};
}

template <typename Field>
PreferenceRow text(const char* key, Field field) {
    return {key, [field](const Preferences& settings) { return JsonValue(field(settings)); },
            [field](Preferences& settings, const JsonValue& value) {
                if (value.is_string() && value.get_ref<const std::string&>().size() <= k_text_limit_bytes)
                    field(settings) = value.get<std::string>();
            }};
}

PreferenceRow texts(const TextList& list) {
    return {list.key, [&list](const Preferences& settings) { return texts_json(settings.*list.texts); },
            [&list](Preferences& settings, const JsonValue& value) {
                settings.*list.texts = texts_in(value);
                if (list.newest_first)
                    keep_first(settings.*list.texts, list.limit);
                else
                    keep_last(settings.*list.texts, list.limit);
            }};
}

PreferenceRow theme_row() {
    return {"theme", [](const Preferences& settings) { return JsonValue(theme_name(settings.theme)); },
            [](Preferences& settings, const JsonValue& value) {
                const auto known = std::ranges::find_if(k_theme_names, [&](const char* name) { return value == name; });
                if (known != k_theme_names.end()) settings.theme = static_cast<ThemeChoice>(known - k_theme_names.begin());
            }};
}

PreferenceRow overlays_row() {
    return {"overlays", [](const Preferences& settings) { return JsonValue(settings.overlays); },
            [](Preferences& settings, const JsonValue& value) {
                if (!value.is_object()) return;
                for (const auto& [id, shown] : value.items()) {
                    if (shown.is_boolean()) settings.overlays[overlay_id(id)] = shown;
                }
            }};
}

PreferenceRow folded_tracks_row() {
    return {"folded_tracks", [](const Preferences& settings) { return JsonValue(settings.tracks.folded); },
            [](Preferences& settings, const JsonValue& value) {
                settings.tracks.folded = texts_in(value);
                keep_last(settings.tracks.folded, k_history_limit);
            }};
}

/// Descriptions of all stored preferences.
const std::vector<PreferenceRow>& rows() {
    static const std::vector<PreferenceRow> all = {
        texts(k_lists[0]),
        texts(k_lists[1]),
        texts(k_lists[2]),
        texts(k_lists[3]),
        number(
            "window_width_px", [](auto& of) -> auto& { return of.window_width_px; }, 320, 16384),
        number(
            "window_height_px", [](auto& of) -> auto& { return of.window_height_px; }, 240, 16384),
        number(
            "details_fraction", [](auto& of) -> auto& { return of.details_fraction; }, 0.05, 0.9),
        number(
            "query_fraction", [](auto& of) -> auto& { return of.query_fraction; }, 0.05, 0.9),
        number(
            "query_split", [](auto& of) -> auto& { return of.query_split; }, 0.15, 0.85),
        number(
            "address_map_fraction", [](auto& of) -> auto& { return of.address_map_fraction; }, 0.05, 0.9),
        number(
            "tracks_fraction", [](auto& of) -> auto& { return of.tracks.fraction; }, 0.05, 0.8),
        number(
            "interface_scale", [](auto& of) -> auto& { return of.interface_scale; },
            static_cast<double>(k_interface_scales.front()), static_cast<double>(k_interface_scales.back())),
        flag(
            "show_query", [](auto& of) -> auto& { return of.show_query; }),
        flag(
            "show_address_map", [](auto& of) -> auto& { return of.show_address_map; }),
        flag(
            "show_minimap", [](auto& of) -> auto& { return of.show_minimap; }),
        flag(
            "show_names", [](auto& of) -> auto& { return of.show_names; }),
        flag(
            "show_tracks", [](auto& of) -> auto& { return of.tracks.show; }),
        flag(
            "clock_times", [](auto& of) -> auto& { return of.clock_times; }),
        text(
            "colour_by", [](auto& of) -> auto& { return of.colour_by; }),
        text(
            "kind_rules", [](auto& of) -> auto& { return of.kind_rules; }),
        text(
            "frame_rules", [](auto& of) -> auto& { return of.stacks.frame_rules; }),
        text(
            "editor_command", [](auto& of) -> auto& { return of.stacks.editor_command; }),
        text(
            "source_folders", [](auto& of) -> auto& { return of.stacks.source_folders; }),
        theme_row(),
        overlays_row(),
        folded_tracks_row()};
    return all;
}

JsonValue to_json(const Preferences& settings) {
    JsonValue object = JsonValue::object();
    for (const PreferenceRow& row : rows()) object[row.key] = row.written(settings);
    return object;
}

/// Returns the smallest set of texts whose insertion at the front of `before` gives `now`, newest first.
std::vector<std::string> put_to_front(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    for (std::size_t count = 0; count < now.size(); ++count) {
        const auto end = now.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<std::string> rest;
        std::ranges::copy_if(before, std::back_inserter(rest),
                             [&](const std::string& text) { return std::find(now.begin(), end, text) == end; });
        rest.resize(std::min(rest.size(), now.size() - count));
        if (std::equal(end, now.end(), rest.begin(), rest.end())) return {now.begin(), end};
    }
    return now;
}

bool has_text(const std::vector<std::string>& texts, const std::string& text) {
    return std::ranges::find(texts, text) != texts.end();
}

std::vector<std::string> missing_in(const std::vector<std::string>& now, const std::vector<std::string>& before) {
    std::vector<std::string> missing;
    std::ranges::copy_if(before, std::back_inserter(missing), [&](const std::string& text) { return !has_text(now, text); });
    return missing;
}

void take_out(std::vector<std::string>& texts, const std::vector<std::string>& unwanted) {
    std::erase_if(texts, [&](const std::string& text) { return has_text(unwanted, text); });
}

/// Returns `stored` with the texts that this window added to its list since `agreed`. If the window used the list without a
/// new text, its newest text counts as used once more.
std::vector<std::string> merge_list(const JsonValue& stored, const TextList& list, const Preferences& agreed,
                                    const Preferences& mine, bool is_used) {
    std::vector<std::string> merged = texts_in(stored.value(list.key, JsonValue()));
    std::vector<std::string> before = agreed.*list.texts;
    std::vector<std::string> now = mine.*list.texts;
    if (!list.newest_first) {
        for (auto* texts : {&merged, &before, &now}) std::ranges::reverse(*texts);
    }
    if (list.is_tended) {
        take_out(merged, missing_in(now, before));
        take_out(before, missing_in(now, before));
    }
    std::vector<std::string> added = put_to_front(before, now);
    if (is_used && added.empty() && !now.empty()) added.push_back(now.front());
    take_out(merged, added);
    merged.insert(merged.begin(), added.begin(), added.end());
    keep_first(merged, list.limit);
    if (!list.newest_first) std::ranges::reverse(merged);
    return merged;
}

/// Writes only the preferences that changed in this window, because another window may have written the file since. Descends
/// into objects.
void put_changes(JsonValue& stored, const JsonValue& agreed, const JsonValue& mine) {
    for (const auto& [key, value] : mine.items()) {
        const auto before = agreed.find(key);
        const bool is_known = before != agreed.end();
        JsonValue& place = stored[key];
        if (value.is_object() && place.is_object())
            put_changes(place, is_known ? *before : JsonValue::object(), value);
        else if (place.is_null() || !is_known || *before != value)
            place = value;
    }
}

void merge(JsonValue& stored, const Preferences& mine, bool has_news) {
    const Preferences nothing;
    const Preferences& agreed = mine.agreed ? *mine.agreed : nothing;
    JsonValue lists = JsonValue::object();
    const bool has_files = mine.recent_files != agreed.recent_files;
    const bool has_queries = mine.query_history != agreed.query_history;
    for (const TextList& list : k_lists) {
        const bool is_used =
            has_news && !list.is_tended && (has_files == has_queries || (list.newest_first ? has_files : has_queries));
        lists[list.key] = texts_json(merge_list(stored, list, agreed, mine, is_used));
    }
    put_changes(stored, mine.agreed ? to_json(agreed) : JsonValue::object(), to_json(mine));
    stored.update(lists);
}

void move_to_front(std::vector<std::string>& texts, const std::string& text) {
    std::erase(texts, text);
    texts.insert(texts.begin(), text);
    keep_first(texts, k_recent_limit);
}

}  // namespace

Preferences load_preferences() {
    Preferences settings;
    const StoredPreferences stored = read_preferences_file(preferences_path());
    const JsonValue& object = stored.object;
    settings.error = stored.error;
    for (const PreferenceRow& row : rows()) {
        if (const auto found = object.find(row.key); found != object.end()) row.read(settings, *found);
    }
    settings.agreed = std::make_shared<const Preferences>(settings);
    return settings;
}

Status save_preferences(Preferences& settings, OutputFile::Durability durability) {
    const bool has_news = std::exchange(settings.has_news, false);
    const fs::path path = preferences_path();
    if (path.empty()) return {};
    if (Status created = create_folder_of(path); !created) return created;
    const PreferencesLock lock(path.parent_path());
    StoredPreferences stored = read_preferences_file(path);
    if (!stored.may_be_replaced) return Error{ErrorCode::io, stored.error};
    merge(stored.object, settings, has_news);
    if (Status written = write_preferences_file(path, stored.object, durability); !written) {
        return Error{ErrorCode::io, path.string() + " " + written.error().message};
    }
    for (const TextList& list : k_lists) settings.*list.texts = texts_in(stored.object[list.key]);
    settings.agreed.reset();
    settings.agreed = std::make_shared<const Preferences>(settings);
    return {};
}

const char* theme_name(ThemeChoice choice) { return k_theme_names[static_cast<std::size_t>(choice)]; }

float next_interface_scale(float scale, bool is_larger) {
    const auto next = is_larger ? std::ranges::upper_bound(k_interface_scales, scale)
                                : std::ranges::lower_bound(k_interface_scales, scale);
    if (is_larger) return next == k_interface_scales.end() ? scale : *next;
    return next == k_interface_scales.begin() ? scale : *(next - 1);
}

std::string preferences_not_kept(const Error& why) { return "The preferences could not be saved: " + why.message; }

void remember_file(Preferences& settings, const std::string& path) {
    if (is_standard_input(path)) return;
    if (is_remote(path)) {
        move_to_front(settings.recent_files, path);
        settings.has_news = true;
        return;
    }
    std::error_code failed;
    fs::path absolute = fs::absolute(path, failed);
    if (failed) absolute = path;
    absolute = absolute.lexically_normal();
    move_to_front(settings.recent_files, absolute.string());
    move_to_front(settings.recent_places, absolute.parent_path().string());
    settings.has_news = true;
}

void remember_query(Preferences& settings, const std::string& sql) {
    if (sql.size() > k_text_limit_bytes) return;
    std::erase(settings.query_history, sql);
    settings.query_history.push_back(sql);
    settings.has_news = true;
    keep_last(settings.query_history, k_history_limit);
}

void star_query(Preferences& settings, const std::string& sql, bool is_saved) {
    if (sql.empty() || sql.size() > k_text_limit_bytes) return;
    std::erase(settings.saved_queries, sql);
    if (is_saved) settings.saved_queries.insert(settings.saved_queries.begin(), sql);
    keep_first(settings.saved_queries, k_saved_limit);
}

}  // namespace snapviewer
