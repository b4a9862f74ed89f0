#include "app/state/settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/base/output_file.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t k_recent_limit = 12;
constexpr std::size_t k_history_limit = 200;
constexpr std::size_t k_text_limit_bytes = 64 * 1024;
constexpr int k_largest_mesh_budget_mib = 1 << 20;
constexpr std::uintmax_t k_file_limit_bytes = 16 * 1024 * 1024;

/// Empty if the environment names no place.
fs::path settings_path() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    if (config != nullptr && fs::path(config).is_absolute()) return fs::path(config) / "snapviewer" / "settings.json";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home != '\0') return fs::path(home) / ".config" / "snapviewer" / "settings.json";
    return {};
}

json parse_object(const fs::path& path) {
    std::error_code failed;
    const std::uintmax_t size_bytes = fs::file_size(path, failed);
    if (failed || size_bytes > k_file_limit_bytes) return {};
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return json::parse(text.str(), nullptr, false);
}

/// settings.json.broken, or the first of .broken.2, .broken.3, ... that is free.
fs::path free_place_beside(const fs::path& path) {
    std::error_code failed;
    fs::path place = path;
    place += ".broken";
    for (int number = 2; fs::exists(fs::symlink_status(place, failed)); ++number) {
        place = path;
        place += ".broken." + std::to_string(number);
    }
    return place;
}

struct StoredObject {
    json object = json::object();
    std::string trouble;  ///< what became of a file that holds none
};

/// What cannot be read is somebody's all the same: it is set aside, so that nothing replaces it.
StoredObject read_object(const fs::path& path) {
    std::error_code failed;
    if (path.empty() || !fs::exists(path, failed)) return {};
    if (json value = parse_object(path); value.is_object()) return {std::move(value), ""};
    const fs::path aside = free_place_beside(path);
    fs::rename(path, aside, failed);
    return {json::object(), path.string() + " does not hold settings; " +
                                (failed ? "it could not be set aside" : "it was set aside as " + aside.filename().string())};
}

double read_number(const json& object, const char* key, double fallback, double low, double high) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return fallback;
    return std::clamp(found->get<double>(), low, high);
}

void read_texts(const json& object, const char* key, std::vector<std::string>& texts) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array()) return;
    for (const json& item : *found) {
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

void move_to_front(std::vector<std::string>& texts, const std::string& text) {
    std::erase(texts, text);
    texts.insert(texts.begin(), text);
    keep_first(texts, k_recent_limit);
}

}  // namespace

Settings load_settings() {
    Settings settings;
    const auto [object, trouble] = read_object(settings_path());
    settings.trouble = trouble;
    read_texts(object, "recent_files", settings.recent_files);
    read_texts(object, "recent_places", settings.recent_places);
    read_texts(object, "query_history", settings.query_history);
    keep_first(settings.recent_files, k_recent_limit);
    keep_first(settings.recent_places, k_recent_limit);
    keep_last(settings.query_history, k_history_limit);
    settings.window_width_px =
        static_cast<int>(read_number(object, "window_width_px", settings.window_width_px, 320, 16384));
    settings.window_height_px =
        static_cast<int>(read_number(object, "window_height_px", settings.window_height_px, 240, 16384));
    settings.details_fraction =
        static_cast<float>(read_number(object, "details_fraction", settings.details_fraction, 0.05, 0.9));
    settings.query_fraction = static_cast<float>(read_number(object, "query_fraction", settings.query_fraction, 0.05, 0.9));
    if (const auto found = object.find("show_query"); found != object.end() && found->is_boolean()) {
        settings.show_query = *found;
    }
    if (const auto found = object.find("colour_by"); found != object.end() && found->is_string()) {
        settings.colour_by = *found;
    }
    if (const auto found = object.find("overlays"); found != object.end() && found->is_object()) {
        for (const auto& [id, shown] : found->items()) {
            if (shown.is_boolean()) settings.overlays[overlay_id(id)] = shown;
        }
    }
    settings.tracks.fraction =
        static_cast<float>(read_number(object, "tracks_fraction", settings.tracks.fraction, 0.05, 0.8));
    if (const auto found = object.find("clock_times"); found != object.end() && found->is_boolean()) {
        settings.clock_times = *found;
    }
    settings.mesh_budget_mib =
        static_cast<int>(read_number(object, "mesh_budget_mib", settings.mesh_budget_mib, 0, k_largest_mesh_budget_mib));
    if (const auto found = object.find("show_tracks"); found != object.end() && found->is_boolean()) {
        settings.tracks.show = *found;
    }
    read_texts(object, "folded_tracks", settings.tracks.folded);
    keep_last(settings.tracks.folded, k_history_limit);
    return settings;
}

void save_settings(const Settings& settings) {
    const fs::path path = settings_path();
    if (path.empty()) return;
    json object = read_object(path).object;
    object["recent_files"] = settings.recent_files;
    object["recent_places"] = settings.recent_places;
    object["window_width_px"] = settings.window_width_px;
    object["window_height_px"] = settings.window_height_px;
    object["details_fraction"] = settings.details_fraction;
    object["query_fraction"] = settings.query_fraction;
    object["show_query"] = settings.show_query;
    object["query_history"] = settings.query_history;
    object["colour_by"] = settings.colour_by;
    object["clock_times"] = settings.clock_times;
    object["mesh_budget_mib"] = settings.mesh_budget_mib;
    object["overlays"] = settings.overlays;
    object["tracks_fraction"] = settings.tracks.fraction;
    object["show_tracks"] = settings.tracks.show;
    object["folded_tracks"] = settings.tracks.folded;

    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    Result<OutputFile> file = OutputFile::create(path.string());
    if (!file) return;
    file->write(object.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
    (void)file->put_in_place();
}

void remember_file(Settings& settings, const std::string& path) {
    std::error_code failed;
    fs::path absolute = fs::absolute(path, failed);
    if (failed) absolute = path;
    absolute = absolute.lexically_normal();
    move_to_front(settings.recent_files, absolute.string());
    move_to_front(settings.recent_places, absolute.parent_path().string());
}

void remember_query(Settings& settings, const std::string& sql) {
    if (sql.size() > k_text_limit_bytes) return;
    std::erase(settings.query_history, sql);
    settings.query_history.push_back(sql);
    keep_last(settings.query_history, k_history_limit);
}

}  // namespace snapviewer
