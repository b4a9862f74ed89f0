#include "app/features/preferences.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "app/system/folders.h"
#include "core/base/addresses.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/system/files.h"

namespace snapviewer {
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

/// Removes the oldest texts of a list that is longer than `limit`.
void drop_oldest(std::vector<std::string>& texts, std::size_t limit, bool newest_last) {
    if (texts.size() <= limit) return;
    if (newest_last)
        texts.erase(texts.begin(), texts.end() - static_cast<std::ptrdiff_t>(limit));
    else
        texts.resize(limit);
}

// Conversions of the value of a preference to JSON, one for each type of value.

template <typename Value>
JsonValue preference_json(const Value& value) {
    return value;
}

/// A string, or an object with the bytes of a text that is not UTF-8, such as the path of a file.
JsonValue preference_json(const std::string& text) {
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

JsonValue preference_json(const std::vector<std::string>& texts) {
    JsonValue array = JsonValue::array();
    for (const std::string& text : texts) array.push_back(preference_json(text));
    return array;
}

JsonValue preference_json(ThemeChoice choice) { return k_theme_names[static_cast<std::size_t>(choice)]; }

// Conversions of the value of a preference from JSON. JSON of the wrong type leaves the value unchanged.

/// The values that a file may contain for one preference.
struct PreferenceBounds {
    double min = 0;            ///< smallest number
    double max = 0;            ///< largest number, or maximum length of a list
    bool newest_last = false;  ///< true for a list that ends with its newest text
};

/// Inverse of preference_json() for a text; nullopt for anything else, and for a text that is too long.
std::optional<std::string> text_of(const JsonValue& value) {
    const bool is_encoded = value.is_object() && value.contains(k_encoded_key);
    const JsonValue& stored = is_encoded ? value[k_encoded_key] : value;
    if (!stored.is_string()) return std::nullopt;
    const std::string_view written = stored.get_ref<const std::string&>();
    std::string text;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const bool is_escape = is_encoded && written[i] == '%' && i + 2 < written.size();
        const auto byte = is_escape ? parse_number<std::uint8_t>(written.substr(i + 1, 2), 16) : std::nullopt;
        text += byte ? static_cast<char>(*byte) : written[i];
        if (byte) i += 2;
    }
    return text.size() <= k_text_limit_bytes ? std::optional(std::move(text)) : std::nullopt;
}

void read_preference(bool& flag, const JsonValue& value, const PreferenceBounds& /*bounds*/) {
    if (value.is_boolean()) flag = value.get<bool>();
}

template <typename Number>
void read_preference(Number& number, const JsonValue& value, const PreferenceBounds& bounds) {
    if (value.is_number()) number = static_cast<Number>(std::clamp(value.get<double>(), bounds.min, bounds.max));
}

void read_preference(std::string& text, const JsonValue& value, const PreferenceBounds& /*bounds*/) {
    text = text_of(value).value_or(text);
}

void read_preference(std::vector<std::string>& texts, const JsonValue& value, const PreferenceBounds& bounds) {
    if (!value.is_array()) return;
    for (const JsonValue& item : value) {
        if (std::optional<std::string> text = text_of(item)) texts.push_back(*std::move(text));
    }
    drop_oldest(texts, static_cast<std::size_t>(bounds.max), bounds.newest_last);
}

void read_preference(ThemeChoice& choice, const JsonValue& value, const PreferenceBounds& /*bounds*/) {
    const auto known = std::ranges::find_if(k_theme_names, [&](const char* name) { return value == name; });
    if (known != k_theme_names.end()) choice = static_cast<ThemeChoice>(known - k_theme_names.begin());
}

/// Earlier versions stored the text of the legend, such as "Peak line", instead of the id of an overlay.
void read_preference(OverlayChoice& overlays, const JsonValue& value, const PreferenceBounds& /*bounds*/) {
    if (!value.is_object()) return;
    for (const auto& [name, is_shown] : value.items()) {
        std::string id = lower_case(name);
        std::ranges::replace(id, ' ', '_');
        if (is_shown.is_boolean()) overlays[id] = is_shown.get<bool>();
    }
}

/// One saved preference. Its default is that of the member of Preferences.
struct PreferenceRow {
    const char* key;
    PreferenceBounds bounds;
    JsonValue (*written)(const Preferences& preferences);
    void (*read)(Preferences& preferences, const JsonValue& value, const PreferenceBounds& bounds);
};

/// The row of a member of Preferences, or of a member of such a member.
template <auto... members>
constexpr PreferenceRow preference(const char* key, PreferenceBounds bounds = {}) {
    return {key, bounds, [](const Preferences& preferences) { return preference_json((preferences.*....*members)); },
            [](Preferences& preferences, const JsonValue& value, const PreferenceBounds& within) {
                read_preference((preferences.*....*members), value, within);
            }};
}

constexpr PreferenceRow k_preferences[] = {
    preference<&Preferences::recent_files>("recent_files", {.max = k_recent_limit}),
    preference<&Preferences::recent_places>("recent_places", {.max = k_recent_limit}),
    preference<&Preferences::query_history>("query_history", {.max = k_history_limit, .newest_last = true}),
    preference<&Preferences::saved_queries>("saved_queries", {.max = k_saved_limit}),
    preference<&Preferences::window_width_px>("window_width_px", {320, 16384}),
    preference<&Preferences::window_height_px>("window_height_px", {240, 16384}),
    preference<&Preferences::details_fraction>("details_fraction", {0.05, 0.9}),
    preference<&Preferences::query_fraction>("query_fraction", {0.05, 0.9}),
    preference<&Preferences::query_split>("query_split", {0.15, 0.85}),
    preference<&Preferences::address_map_fraction>("address_map_fraction", {0.05, 0.9}),
    preference<&Preferences::tracks, &TrackSettings::fraction>("tracks_fraction", {0.05, 0.8}),
    preference<&Preferences::interface_scale>("interface_scale", {k_interface_scales.front(), k_interface_scales.back()}),
    preference<&Preferences::show_query>("show_query"),
    preference<&Preferences::show_address_map>("show_address_map"),
    preference<&Preferences::show_minimap>("show_minimap"),
    preference<&Preferences::show_names>("show_names"),
    preference<&Preferences::tracks, &TrackSettings::show>("show_tracks"),
    preference<&Preferences::clock_times>("clock_times"),
    preference<&Preferences::colour_by>("colour_by"),
    preference<&Preferences::kind_rules>("kind_rules"),
    preference<&Preferences::stacks, &StackSettings::frame_rules>("frame_rules"),
    preference<&Preferences::stacks, &StackSettings::editor_command>("editor_command"),
    preference<&Preferences::stacks, &StackSettings::source_folders>("source_folders"),
    preference<&Preferences::theme>("theme"),
    preference<&Preferences::overlays>("overlays"),
    preference<&Preferences::tracks, &TrackSettings::folded>("folded_tracks",
                                                             {.max = k_history_limit, .newest_last = true})};

void move_to_front(std::vector<std::string>& texts, const std::string& text, std::size_t limit) {
    std::erase(texts, text);
    texts.insert(texts.begin(), text);
    drop_oldest(texts, limit, false);
}

}  // namespace

Preferences load_preferences() {
    Preferences preferences;
    const Result<JsonValue> stored = read_user_file(preferences_path());
    if (!stored) {
        preferences.error = stored.error().message;
        return preferences;
    }
    for (const PreferenceRow& row : k_preferences) {
        if (const auto found = stored->find(row.key); found != stored->end()) row.read(preferences, *found, row.bounds);
    }
    return preferences;
}

Status save_preferences(const Preferences& preferences, OutputFile::Durability durability) {
    const fs::path path = preferences_path();
    if (path.empty()) return {};
    return change_user_file(path, durability, [&](JsonValue& stored) {
        for (const PreferenceRow& row : k_preferences) stored[row.key] = row.written(preferences);
        return true;
    });
}

std::string preferences_not_kept(const Error& why) { return "The preferences could not be saved: " + why.message; }

float next_interface_scale(float scale, bool is_larger) {
    const auto next = is_larger ? std::ranges::upper_bound(k_interface_scales, scale)
                                : std::ranges::lower_bound(k_interface_scales, scale);
    if (is_larger) return next == k_interface_scales.end() ? scale : *next;
    return next == k_interface_scales.begin() ? scale : *(next - 1);
}

void remember_file(Preferences& preferences, const std::string& path) {
    if (is_standard_input(path)) return;
    preferences.needs_saving = true;
    if (is_remote(path)) return move_to_front(preferences.recent_files, path, k_recent_limit);
    std::error_code failed;
    fs::path absolute = fs::absolute(path, failed);
    if (failed) absolute = path;
    absolute = absolute.lexically_normal();
    move_to_front(preferences.recent_files, absolute.string(), k_recent_limit);
    move_to_front(preferences.recent_places, absolute.parent_path().string(), k_recent_limit);
}

void remember_query(Preferences& preferences, const std::string& sql) {
    if (sql.size() > k_text_limit_bytes) return;
    std::erase(preferences.query_history, sql);
    preferences.query_history.push_back(sql);
    drop_oldest(preferences.query_history, k_history_limit, true);
    preferences.needs_saving = true;
}

void star_query(Preferences& preferences, const std::string& sql, bool is_saved) {
    if (sql.empty() || sql.size() > k_text_limit_bytes) return;
    if (is_saved)
        move_to_front(preferences.saved_queries, sql, k_saved_limit);
    else
        std::erase(preferences.saved_queries, sql);
    preferences.needs_saving = true;
}

namespace {

constexpr std::uint64_t k_file_limit_bytes = std::uint64_t{16} << 20;
constexpr auto k_lock_patience = std::chrono::milliseconds(200);
constexpr auto k_lock_pause = std::chrono::milliseconds(5);

/// Renames a damaged file to an unused name beside it: with ".broken", or else with ".broken.2", ".broken.3" and so on.
Error set_aside(const fs::path& path) {
    std::error_code failed;
    fs::path aside = path;
    aside += ".broken";
    for (int number = 2; fs::exists(fs::symlink_status(aside, failed)); ++number) {
        aside = path;
        aside += ".broken." + std::to_string(number);
    }
    fs::rename(path, aside, failed);
    const std::string fate = failed ? "it could not be moved aside" : "it was moved aside to " + aside.filename().string();
    return {failed ? ErrorCode::io : ErrorCode::bad_file, path.string() + " is not a valid preferences file; " + fate};
}

/// Locks a folder until the handle is closed. Gives up if another window keeps the lock, or if the folder has none.
FileHandle lock_of_folder(const fs::path& folder) {
    FileHandle lock = open_lock_of_folder(folder.string());
    const auto deadline = std::chrono::steady_clock::now() + k_lock_patience;
    while (lock.is_open() && lock_file(lock) == std::errc::operation_would_block &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(k_lock_pause);
    }
    return lock;
}

}  // namespace

fs::path preferences_path() {
    const fs::path folder = config_folder();
    return folder.empty() ? folder : folder / "snapviewer" / "settings.json";
}

Result<JsonValue> read_user_file(const fs::path& path) {
    std::error_code failed;
    if (path.empty() || !fs::exists(path, failed)) return JsonValue::object();
    const Result<std::string> text = read_plain_file(path.string(), k_file_limit_bytes);
    if (!text && text.error().code == ErrorCode::io) return Error{ErrorCode::io, path.string() + " " + text.error().message};
    JsonValue object = text ? parse_json(*text) : JsonValue();
    if (!object.is_object()) return set_aside(path);
    return object;
}

Status change_user_file(const fs::path& path, OutputFile::Durability durability,
                        const std::function<bool(JsonValue&)>& change) {
    const fs::path folder = path.parent_path();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return Error{ErrorCode::io, folder.string() + " cannot be created: " + failed.message()};
    const FileHandle lock = lock_of_folder(folder);
    Result<JsonValue> read = read_user_file(path);
    if (!read && read.error().code == ErrorCode::io) return read.error();
    JsonValue object = read ? *std::move(read) : JsonValue::object();
    if (!change(object)) return {};
    Status written = OutputFile::write_whole(path.string(), json_text(object, 2) + '\n', durability);
    if (!written) return Error{ErrorCode::io, path.string() + " " + written.error().message};
    return {};
}

}  // namespace snapviewer
