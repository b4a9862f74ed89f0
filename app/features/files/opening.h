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
    std::vector<std::string> paths;  ///< of all that was read
    FileStamps stamps;               ///< of `paths`, from before they were
    Result<std::shared_ptr<const Document>> document;
    CharacterSet characters;  ///< of what the document can show
    std::string companion;    ///< a file that was open before and is seen together with this one; mostly empty
    std::optional<std::uint64_t> content = {};  ///< see content_hash()
    bool is_fleet = false;                      ///< many files, of which nothing is read yet: there is no document
    bool is_series = false;                     ///< likewise, and small ones of a recorder are among them
};

/// Opens a file. `before` is what is open now, if anything. `observer` sees what is read so far.
Job<OpenedFile>::Work make_opening_job(std::string path, OpenOptions options, std::shared_ptr<const Document> before,
                                       std::shared_ptr<Observer> observer);
/// Of many files, `path` the first of them: nothing is read yet.
Job<OpenedFile>::Work make_fleet_opening_job(std::string path);

}  // namespace snapviewer
