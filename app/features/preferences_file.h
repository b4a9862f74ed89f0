#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/output_file.h"
#include "core/system/file_handle.h"

namespace snapviewer {

/// snapviewer/settings.json in config_folder(); empty if there is none.
std::filesystem::path preferences_path();

/// Contents of the preferences file.
struct StoredPreferences {
    nlohmann::json object = nlohmann::json::object();
    std::string error;            ///< what became of a file that holds no settings, as a sentence
    bool may_be_replaced = true;  ///< false if the existing file could be neither read nor renamed
};

/// A damaged file, a file larger than any that was written, or a deeply nested one still belongs to the user. It is renamed
/// to settings.json.broken, so that nothing overwrites it.
StoredPreferences read_preferences_file(const std::filesystem::path& path);

/// Creates the folder of a preferences file and those above it. The error names the folder and the reason, such as a home
/// directory that is read-only.
Status create_folder_of(const std::filesystem::path& path);

/// Replaces the file in one step.
Status write_preferences_file(const std::filesystem::path& path, const nlohmann::json& object,
                              OutputFile::Durability durability);

/// Holds the lock of the preferences file while it lives. Waits at most a fraction of a second. Continues without the lock
/// if another window keeps it, or if the folder cannot be locked.
class PreferencesLock {
public:
    explicit PreferencesLock(const std::filesystem::path& folder);

private:
    FileHandle folder_;
};

}  // namespace snapviewer
