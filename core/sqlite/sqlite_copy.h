#pragma once

#include <memory>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// A folder of our own for temporary files, gone with everything in it when this goes.
class ScratchFolder {
public:
    static Result<std::unique_ptr<ScratchFolder>> create();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }

private:
    explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

/// Whether changes to a database lie in a journal beside it, so that the file alone is not complete.
bool has_hot_journal(const std::string& path);

/// Copies a database and its journals into a folder and lets SQLite bring the copy up to date there, so that it is one file
/// without journals. Returns the copy's path. `progress` may be null; stops within 100 ms when asked.
Result<std::string> copy_up_to_date(const std::string& path, const ScratchFolder& folder, Progress* progress);

}  // namespace snapviewer
