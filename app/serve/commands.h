#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/save_picture/picture_spec.h"
#include "app/serve/answer_cache.h"
#include "app/serve/memory_share.h"
#include "app/serve/served_folder.h"
#include "core/base/output_file.h"

namespace snapviewer {

/// Memory reserved for a page; released when the last copy is destroyed. Null for small pages.
using PageRoom = std::shared_ptr<MemoryShare::Part>;

/// Runs commands of this program on files, each in its own process and sandbox, so that the server process reads no
/// snapshot. Thread-safe.
class ServeCommands {
public:
    using Answer = AnswerCache::Answer;
    using IsReaderGone = std::function<bool()>;

    /// Creates a temporary folder for pictures. Removes the folders of servers that were killed.
    static Result<std::unique_ptr<ServeCommands>> create();
    ~ServeCommands();
    ServeCommands(const ServeCommands&) = delete;
    ServeCommands& operator=(const ServeCommands&) = delete;

    /// Runs a command or returns its cached answer. `arguments` are the command's name and arguments. `version` must change
    /// whenever the files that they name change.
    Answer ask(std::vector<std::string> arguments, const std::string& version, std::uint64_t file_bytes,
               const IsReaderGone& is_reader_gone);
    /// Draws a picture. The output of the answer is a PNG file.
    Answer draw(const PictureSpec& spec, const std::string& version, std::uint64_t file_bytes,
                const IsReaderGone& is_reader_gone);
    /// Waits for memory to build and send a page for an answer of `answer_bytes`. Returns nullopt if no memory was free
    /// within five minutes or the reader is gone.
    std::optional<PageRoom> room_for_page(std::size_t answer_bytes, const IsReaderGone& is_reader_gone);
    void end_all() { cache_.end_all(); }

private:
    ServeCommands(std::string folder, FileHandle lock);

    TemporaryPath folder_;
    FileHandle lock_;  ///< Lock of folder_, held while this server runs
    std::atomic<std::uint64_t> pictures_{0};
    AnswerCache cache_;
    MemoryShare pages_;
};

}  // namespace snapviewer
