#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/output_file.h"
#include "core/system/files.h"

namespace snapviewer {

/// The path of snapviewer/settings.json in config_folder(); empty if there is no such folder.
std::filesystem::path preferences_path();

/// Contents of the preferences file.
struct StoredPreferences {
    nlohmann::json object = nlohmann::json::object();
    /// A sentence about a file that contains no preferences and what happened to it; empty if there was no problem.
    std::string error;
    bool may_be_replaced = true;  ///< false if the existing file could be neither read nor renamed
};

/// Reads the preferences file. A file that is damaged, deeply nested, or larger than this program writes still belongs to
/// the user. It is renamed to settings.json.broken, so that nothing overwrites it.
StoredPreferences read_preferences_file(const std::filesystem::path& path);

/// Creates the folder of a preferences file and its parent folders. The error names the folder and the reason, such as a
/// read-only home directory.
Status create_folder_of(const std::filesystem::path& path);

/// Replaces the preferences file atomically.
Status write_preferences_file(const std::filesystem::path& path, const nlohmann::json& object,
                              OutputFile::Durability durability);

/// RAII lock of the preferences file. The constructor waits at most a fraction of a second and continues without the lock if
/// another window keeps it, or if the folder cannot be locked.
class PreferencesLock {
public:
    explicit PreferencesLock(const std::filesystem::path& folder);

private:
    FileHandle folder_;
};

}  // namespace snapviewer
