#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/output_file.h"
#include "core/system/file_handle.h"

namespace snapviewer {

/// snapviewer/settings.json in config_folder(); empty if there is none.
std::filesystem::path preferences_path();

/// What the settings' file holds.
struct StoredPreferences {
    nlohmann::json object = nlohmann::json::object();
    std::string error;            ///< what became of a file that holds no settings, as a sentence
    bool may_be_replaced = true;  ///< not where there is a file that could be neither read nor set aside
};

/// A file that is damaged, larger than any that was written, or nested deeper is somebody's all the same: it is set aside as
/// settings.json.broken, so that nothing replaces it.
StoredPreferences read_preferences_file(const std::filesystem::path& path);

/// Creates the folder of a preferences file and those above it. The error names the folder and the reason, such as a home
/// directory that is read-only.
Status create_folder_of(const std::filesystem::path& path);

/// Replaces the file in one step.
Status write_preferences_file(const std::filesystem::path& path, const nlohmann::json& object,
                              OutputFile::Durability durability);

/// Keeps the other windows from writing settings while it lives. Waits a fraction of a second at most: one that stands still
/// with the lock in its hands does not stop this one, nor a folder that cannot be locked.
class PreferencesLock {
public:
    explicit PreferencesLock(const std::filesystem::path& folder);

private:
    FileHandle folder_;
};

}  // namespace snapviewer
