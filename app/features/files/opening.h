#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/file_stamps.h"
#include "app/ui/characters.h"
#include "core/base/job.h"
#include "core/document/document.h"

namespace snapviewer {

struct OpenedFile {
    std::string path;
    std::vector<std::string> paths;  ///< paths of all files that were read
    FileStamps stamps;               ///< stamps of `paths`, taken before they were read
    Result<std::shared_ptr<const Document>> document;
    CharacterSet characters;  ///< characters that the document's texts need
    std::string companion;    ///< a previously open file that belongs together with this one; usually empty
    std::optional<std::uint64_t> content = {};  ///< hash of the file's content, see content_hash()
    bool is_fleet = false;                      ///< true for a fleet, whose files are not read yet; there is no document
    /// True for a folder with the samples of a recorder, which are not read yet; there is no document.
    bool is_series = false;
};

/// The work that opens a file. `before` is the document that is open now, or null. `observer` receives partial results while
/// the file is being read.
Job<OpenedFile>::Work make_opening_job(std::string path, OpenOptions options, std::shared_ptr<const Document> before,
                                       std::shared_ptr<Observer> observer);
/// The work that opens a fleet whose first file is `path`. It reads no file, because the fleet window does that.
Job<OpenedFile>::Work make_fleet_opening_job(std::string path);

}  // namespace snapviewer
