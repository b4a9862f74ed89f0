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
#include "core/base/temporary_file.h"

namespace snapviewer {

/// Memory that a page may take, which is given back when the last copy of this is destroyed; null for small pages.
using PageRoom = std::shared_ptr<MemoryShare::Part>;

/// Asks commands of this program about files, each of them in a process and a sandbox of its own, so that this one reads
/// none. Any thread.
class ServeCommands {
public:
    using Answer = AnswerCache::Answer;
    using IsReaderGone = std::function<bool()>;

    /// Pictures are drawn into a folder for temporary files. Removes those that servers left when they were killed.
    static Result<std::unique_ptr<ServeCommands>> create();
    ~ServeCommands();
    ServeCommands(const ServeCommands&) = delete;
    ServeCommands& operator=(const ServeCommands&) = delete;

    /// `arguments` are all of the command; `version` changes with what they name.
    Answer ask(std::vector<std::string> arguments, const std::string& version, std::uint64_t file_bytes,
               const IsReaderGone& is_reader_gone);
    /// The bytes of a picture as PNG.
    Answer draw(const PictureSpec& spec, const std::string& version, std::uint64_t file_bytes,
                const IsReaderGone& is_reader_gone);
    /// Waits for the memory in which a page of an answer of `answer_bytes` is built and sent. None if there was none within
    /// five minutes, or the reader is gone.
    std::optional<PageRoom> room_for_page(std::size_t answer_bytes, const IsReaderGone& is_reader_gone);
    void end_all() { cache_.end_all(); }

private:
    ServeCommands(std::string folder, FileHandle lock);

    TemporaryPath folder_;
    FileHandle lock_;  ///< locks folder_ while this server runs
    std::atomic<std::uint64_t> pictures_{0};
    AnswerCache cache_;
    MemoryShare pages_;
};

}  // namespace snapviewer
