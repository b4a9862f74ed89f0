#include "app/features/preferences_file.h"

#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "app/system/folders.h"
#include "core/base/input_files.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;
using JsonValue = nlohmann::json;

constexpr std::uint64_t k_file_limit_bytes = std::uint64_t{16} << 20;
constexpr auto k_lock_patience = std::chrono::milliseconds(200);
constexpr auto k_lock_pause = std::chrono::milliseconds(5);

/// Parses `text`. Returns nullopt if it is not a JSON object.
std::optional<JsonValue> parse_object(const std::string& text) {
    JsonValue value = parse_json(text);
    if (!value.is_object()) return std::nullopt;
    return value;
}

/// Returns an unused path for renaming a damaged file: `path` with ".broken", or else with ".broken.2", ".broken.3" and so
/// on.
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

StoredPreferences set_aside(const fs::path& path) {
    std::error_code failed;
    const fs::path aside = free_place_beside(path);
    fs::rename(path, aside, failed);
    const std::string fate = failed ? "it could not be moved aside" : "it was moved aside to " + aside.filename().string();
    return {JsonValue::object(), path.string() + " is not a valid preferences file; " + fate, !failed};
}

}  // namespace

fs::path preferences_path() {
    const fs::path folder = config_folder();
    return folder.empty() ? folder : folder / "snapviewer" / "settings.json";
}

StoredPreferences read_preferences_file(const fs::path& path) {
    std::error_code failed;
    if (path.empty() || !fs::exists(path, failed)) return {};
    const Result<std::string> text = read_plain_file(path.string(), k_file_limit_bytes);
    if (!text && text.error().code == ErrorCode::io)
        return {JsonValue::object(), path.string() + " " + text.error().message, false};
    if (!text) return set_aside(path);
    if (std::optional<JsonValue> object = parse_object(*text)) return {*std::move(object), "", true};
    return set_aside(path);
}

Status create_folder_of(const fs::path& path) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (!failed) return {};
    return Error{ErrorCode::io, path.parent_path().string() + " cannot be created: " + failed.message()};
}

Status write_preferences_file(const fs::path& path, const JsonValue& object, OutputFile::Durability durability) {
    Result<OutputFile> file = OutputFile::create(path.string());
    if (!file) return file.error();
    file->write(json_text(object, 2) + '\n');
    return file->commit(durability);
}

PreferencesLock::PreferencesLock(const fs::path& folder) : folder_(open_lock_of_folder(folder.string())) {
    const auto deadline = std::chrono::steady_clock::now() + k_lock_patience;
    while (folder_.is_open() && lock_file(folder_) == std::errc::operation_would_block &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(k_lock_pause);
    }
}

}  // namespace snapviewer
