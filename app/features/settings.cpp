#include "app/features/settings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "app/features/settings_file.h"
#include "core/base/json_text.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;
using JsonValue = nlohmann::json;

constexpr std::size_t k_recent_limit = 12;
constexpr std::size_t k_history_limit = 200;
constexpr std::size_t k_saved_limit = 100;
constexpr std::size_t k_text_limit_bytes = std::size_t{64} * 1024;
constexpr int k_largest_mesh_budget_mib = 1 << 20;
constexpr std::array k_theme_names = {"system", "dark", "light"};
constexpr std::array k_interface_scales = {0.7F, 0.8F, 0.9F, 1.0F, 1.1F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

double read_number(const JsonValue& object, const char* key, double fallback, double low, double high) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return fallback;
    return std::clamp(found->get<double>(), low, high);
}

void read_text(const JsonValue& object, const char* key, std::string& text) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return;
    if (found->get_ref<const std::string&>().size() <= k_text_limit_bytes) text = *found;
}

void read_texts(const JsonValue& object, const char* key, std::vector<std::string>& texts) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array()) return;
    for (const JsonValue& item : *found) {
        if (item.is_string() && item.get_ref<const std::string&>().size() <= k_text_limit_bytes) texts.push_back(item);
    }
}

/// Earlier versions remembered overlays by the words of the legend: "peak line".
std::string overlay_id(std::string remembered) {
    std::ranges::replace(remembered, ' ', '_');
    std::ranges::transform(remembered, remembered.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return remembered;
}

void keep_first(std::vector<std::string>& texts, std::size_t limit) {
    if (texts.size() > limit) texts.resize(limit);
}

void keep_last(std::vector<std::string>& texts, std::size_t limit) {
    if (texts.size() > limit) texts.erase(texts.begin(), texts.end() - static_cast<std::ptrdiff_t>(limit));
}

JsonValue to_json(const Settings& settings) {
    return {{"recent_files", settings.recent_files},
            {"recent_places", settings.recent_places},
            {"window_width_px", settings.window_width_px},
            {"window_height_px", settings.window_height_px},
            {"details_fraction", settings.details_fraction},
            {"query_fraction", settings.query_fraction},
            {"query_split", settings.query_split},
            {"show_query", settings.show_query},
            {"show_address_map", settings.show_address_map},
            {"address_map_fraction", settings.address_map_fraction},
            {"query_history", settings.query_history},
            {"saved_queries", settings.saved_queries},
            {"colour_by", settings.colour_by},
            {"kind_rules", settings.kind_rules},
            {"frame_rules", settings.stacks.frame_rules},
            {"editor_command", settings.stacks.editor_command},
            {"source_folders", settings.stacks.source_folders},
            {"show_minimap", settings.show_minimap},
            {"show_names", settings.show_names},
            {"clock_times", settings.clock_times},
            {"theme", theme_name(settings.theme)},
            {"interface_scale", settings.interface_scale},
            {"mesh_budget_mib", settings.mesh_budget_mib},
            {"overlays", settings.overlays},
            {"tracks_fraction", settings.tracks.fraction},
            {"show_tracks", settings.tracks.show},
            {"folded_tracks", settings.tracks.folded}};
}

/// A list that grows at one end; what is there already moves.
struct TextList {
    const char* key;
    std::vector<std::string> Settings::*texts;
    bool newest_first;
    std::size_t limit;
    bool is_tended;  ///< what is not there any more was taken out; other lists only lose what is oldest
};
constexpr TextList k_lists[] = {{"recent_files", &Settings::recent_files, true, k_recent_limit, false},
                                {"recent_places", &Settings::recent_places, true, k_recent_limit, false},
                                {"query_history", &Settings::query_history, false, k_history_limit, false},
                                {"saved_queries", &Settings::saved_queries, true, k_saved_limit, true}};

/// What was put to the front of `before` to get `now`: as few as possible, the newest first.
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

/// A name that is not UTF-8 is not the same any more after it was written.
std::string as_written(const std::string& text) { return parse_json(json_text(JsonValue(text))); }

/// `stored` with what this window put into its list since both agreed; where it used the list and that looks as before, its
/// newest text was used once more.
std::vector<std::string> merge_list(const JsonValue& stored, const TextList& list, const Settings& agreed,
                                    const Settings& mine, bool is_used) {
    std::vector<std::string> merged;
    read_texts(stored, list.key, merged);
    std::vector<std::string> before = agreed.*list.texts;
    std::vector<std::string> now = mine.*list.texts;
    for (const std::string& text : now) std::ranges::replace(merged, as_written(text), text);
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

/// Another window may have written since: of the rest only what was changed in this one is put over what it wrote, of what
/// stands in objects each by itself.
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

void merge(JsonValue& stored, const Settings& mine, bool has_news) {
    const Settings nothing;
    const Settings& agreed = mine.agreed ? *mine.agreed : nothing;
    JsonValue lists = JsonValue::object();
    const bool has_files = mine.recent_files != agreed.recent_files;
    const bool has_queries = mine.query_history != agreed.query_history;
    for (const TextList& list : k_lists) {
        const bool is_used =
            has_news && !list.is_tended && (has_files == has_queries || (list.newest_first ? has_files : has_queries));
        lists[list.key] = merge_list(stored, list, agreed, mine, is_used);
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

Settings load_settings() {
    Settings settings;
    const StoredSettings stored = read_settings_file(settings_path());
    const JsonValue& object = stored.object;
    settings.trouble = stored.trouble;
    read_texts(object, "recent_files", settings.recent_files);
    read_texts(object, "recent_places", settings.recent_places);
    read_texts(object, "query_history", settings.query_history);
    keep_first(settings.recent_files, k_recent_limit);
    keep_first(settings.recent_places, k_recent_limit);
    keep_last(settings.query_history, k_history_limit);
    read_texts(object, "saved_queries", settings.saved_queries);
    keep_first(settings.saved_queries, k_saved_limit);
    settings.window_width_px =
        static_cast<int>(read_number(object, "window_width_px", settings.window_width_px, 320, 16384));
    settings.window_height_px =
        static_cast<int>(read_number(object, "window_height_px", settings.window_height_px, 240, 16384));
    settings.details_fraction =
        static_cast<float>(read_number(object, "details_fraction", settings.details_fraction, 0.05, 0.9));
    settings.query_fraction = static_cast<float>(read_number(object, "query_fraction", settings.query_fraction, 0.05, 0.9));
    settings.query_split = static_cast<float>(read_number(object, "query_split", settings.query_split, 0.15, 0.85));
    if (const auto found = object.find("show_query"); found != object.end() && found->is_boolean()) {
        settings.show_query = *found;
    }
    if (const auto found = object.find("show_address_map"); found != object.end() && found->is_boolean()) {
        settings.show_address_map = *found;
    }
    settings.address_map_fraction =
        static_cast<float>(read_number(object, "address_map_fraction", settings.address_map_fraction, 0.05, 0.9));
    read_text(object, "colour_by", settings.colour_by);
    read_text(object, "kind_rules", settings.kind_rules);
    read_text(object, "frame_rules", settings.stacks.frame_rules);
    read_text(object, "editor_command", settings.stacks.editor_command);
    read_text(object, "source_folders", settings.stacks.source_folders);
    if (const auto found = object.find("overlays"); found != object.end() && found->is_object()) {
        for (const auto& [id, shown] : found->items()) {
            if (shown.is_boolean()) settings.overlays[overlay_id(id)] = shown;
        }
    }
    settings.tracks.fraction =
        static_cast<float>(read_number(object, "tracks_fraction", settings.tracks.fraction, 0.05, 0.8));
    if (const auto found = object.find("show_minimap"); found != object.end() && found->is_boolean()) {
        settings.show_minimap = *found;
    }
    if (const auto found = object.find("show_names"); found != object.end() && found->is_boolean()) {
        settings.show_names = *found;
    }
    if (const auto found = object.find("clock_times"); found != object.end() && found->is_boolean()) {
        settings.clock_times = *found;
    }
    std::string theme;
    read_text(object, "theme", theme);
    if (const auto known = std::ranges::find(k_theme_names, theme); known != k_theme_names.end())
        settings.theme = static_cast<ThemeChoice>(known - k_theme_names.begin());
    settings.interface_scale = static_cast<float>(read_number(object, "interface_scale", settings.interface_scale,
                                                              k_interface_scales.front(), k_interface_scales.back()));
    settings.mesh_budget_mib =
        static_cast<int>(read_number(object, "mesh_budget_mib", settings.mesh_budget_mib, 0, k_largest_mesh_budget_mib));
    if (const auto found = object.find("show_tracks"); found != object.end() && found->is_boolean()) {
        settings.tracks.show = *found;
    }
    read_texts(object, "folded_tracks", settings.tracks.folded);
    keep_last(settings.tracks.folded, k_history_limit);
    settings.agreed = std::make_shared<const Settings>(settings);
    return settings;
}

Status save_settings(Settings& settings, OutputFile::Durability durability) {
    const bool has_news = std::exchange(settings.has_news, false);
    const fs::path path = settings_path();
    if (path.empty()) return {};
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    const SettingsLock lock(path.parent_path());
    StoredSettings stored = read_settings_file(path);
    if (!stored.may_be_replaced) return Error{ErrorCode::io, stored.trouble};
    merge(stored.object, settings, has_news);
    if (Status written = write_settings_file(path, stored.object, durability); !written) {
        return Error{ErrorCode::io, path.string() + " " + written.error().message};
    }
    for (const TextList& list : k_lists) settings.*list.texts = stored.object[list.key].get<std::vector<std::string>>();
    settings.agreed.reset();
    settings.agreed = std::make_shared<const Settings>(settings);
    return {};
}

const char* theme_name(ThemeChoice choice) { return k_theme_names[static_cast<std::size_t>(choice)]; }

float next_interface_scale(float scale, bool is_larger) {
    const auto next = is_larger ? std::ranges::upper_bound(k_interface_scales, scale)
                                : std::ranges::lower_bound(k_interface_scales, scale);
    if (is_larger) return next == k_interface_scales.end() ? scale : *next;
    return next == k_interface_scales.begin() ? scale : *(next - 1);
}

std::string settings_not_kept(const Error& why) { return "What the window remembers could not be saved: " + why.message; }

void remember_file(Settings& settings, const std::string& path) {
    std::error_code failed;
    fs::path absolute = fs::absolute(path, failed);
    if (failed) absolute = path;
    absolute = absolute.lexically_normal();
    move_to_front(settings.recent_files, absolute.string());
    move_to_front(settings.recent_places, absolute.parent_path().string());
    settings.has_news = true;
}

void remember_query(Settings& settings, const std::string& sql) {
    if (sql.size() > k_text_limit_bytes) return;
    std::erase(settings.query_history, sql);
    settings.query_history.push_back(sql);
    settings.has_news = true;
    keep_last(settings.query_history, k_history_limit);
}

void star_query(Settings& settings, const std::string& sql, bool is_saved) {
    if (sql.empty() || sql.size() > k_text_limit_bytes) return;
    std::erase(settings.saved_queries, sql);
    if (is_saved) settings.saved_queries.insert(settings.saved_queries.begin(), sql);
    keep_first(settings.saved_queries, k_saved_limit);
}

}  // namespace snapviewer
