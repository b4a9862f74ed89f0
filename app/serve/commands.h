#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/features/save_picture/picture_spec.h"
#include "app/serve/answer_cache.h"
#include "app/serve/served_folder.h"
#include "core/base/temporary_file.h"

namespace snapviewer {

/// Asks commands of this program about files, each of them in a process and a sandbox of its own, so that this one reads
/// none. Any thread.
class ServeCommands {
public:
    using Answer = AnswerCache::Answer;
    using IsReaderGone = std::function<bool()>;

    /// Pictures are drawn into a folder for temporary files.
    static Result<std::unique_ptr<ServeCommands>> create();

    /// `arguments` are all of the command; `version` changes with what they name.
    Answer ask(std::vector<std::string> arguments, const std::string& version, std::uint64_t file_bytes,
               const IsReaderGone& is_reader_gone);
    /// The bytes of a picture as PNG.
    Answer draw(const PictureSpec& spec, const std::string& version, std::uint64_t file_bytes,
                const IsReaderGone& is_reader_gone);
    void end_all() { cache_.end_all(); }

private:
    explicit ServeCommands(std::string folder);

    TemporaryPath folder_;
    std::atomic<std::uint64_t> pictures_{0};
    AnswerCache cache_;
};

}  // namespace snapviewer
