#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/save_picture/picture_spec.h"
#include "app/serve/answer_cache.h"
#include "app/serve/http_message.h"
#include "app/serve/served_folder.h"
#include "core/base/addresses.h"
#include "core/base/output_file.h"

/// HTML pages, simple enough for browsers that only show text.
namespace snapviewer::serve {

/// Escapes a text for HTML elements and quoted attributes. Invalid UTF-8 becomes U+FFFD.
std::string html_text(std::string_view text);
/// Escapes a name for HTML and puts it on one line.
std::string html_name(std::string_view name);

/// Returns a whole page around `body`, which is moved. `refresh` is empty, or the number of seconds after which the browser
/// reloads the page.
std::string html_page(std::string_view title, std::string body, std::string_view refresh);

/// Returns links to the folders above, followed by the last name. Heads the page of a folder, and every page below a file.
std::string html_way(std::string_view root_name, std::span<const std::string> names);

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
    Answer draw(const save_picture::PictureSpec& spec, const std::string& version, std::uint64_t file_bytes,
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

// Constructors for the answers of the server.

/// Returns a page that releases its memory `room`, if it has any, once it has been sent.
HttpAnswer html_answer(std::string html, PageRoom room = nullptr);
HttpAnswer json_answer(std::string json);
/// Returns the output of a command without copying it.
HttpAnswer output_answer(const std::shared_ptr<const ChildAnswer>& answer, std::string type);
/// Returns the answer for a page that got no memory.
HttpAnswer busy(const RequestTarget& target);
/// Returns an error: an HTML page with the sentence, or {"error": ...} if the target's parameters ask for JSON.
HttpAnswer refusal(int status, std::string_view sentence, const RequestTarget& target);
/// Returns the error 404. Used for every target that the reader must not learn anything about.
HttpAnswer not_found();
/// Redirects to another address, relative to the requested one.
HttpAnswer redirection(const std::string& link);

/// Returns the stderr output of a command without the names of the program and of the file.
std::string message_of(const ChildAnswer& answer, const std::string& path);
/// Returns the error for a command that failed. `at_fault` is the HTTP status if the file or the request is at fault.
HttpAnswer refusal_of(const ChildAnswer& answer, const std::string& path, int at_fault, const RequestTarget& target);

}  // namespace snapviewer::serve
