#include "app/serve/answers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/system/files.h"
#include "core/system/processes.h"

namespace snapviewer::serve {
namespace {

constexpr const char* k_style = R"css(
body { font: 15px/1.5 "Open Sans", sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 90em }
table { border-collapse: collapse }
th, td { text-align: left; padding: .15em 1.2em .15em 0; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums }
pre, textarea, td.code { font: 13px/1.45 "JetBrains Mono", monospace }
pre { overflow-x: auto; white-space: pre-wrap }
textarea { width: 100%; box-sizing: border-box }
img { max-width: 100%; height: auto }
label { margin-right: 1em; white-space: nowrap }
.error { color: #b00020 }
.main { font-weight: 600 }
@media (prefers-color-scheme: dark) {
    body { background: #16181d; color: #d8dbe2 }
    a { color: #8ab4f8 }
    a:visited { color: #c58af9 }
    .error { color: #ff8a80 }
}
)css";

std::string_view entity_of(char c) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        default: return "";
    }
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string html;
    for (const char c : valid_utf8(text)) {
        const bool is_control = (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f';
        const std::string_view entity = entity_of(c);
        if (is_control)
            html += "\xef\xbf\xbd";  // U+FFFD in UTF-8
        else if (entity.empty())
            html += c;
        else
            html += entity;
    }
    return html;
}

std::string html_name(std::string_view name) { return html_text(one_line(name)); }

std::string html_page(std::string_view title, std::string body, std::string_view refresh) {
    const std::string again =
        refresh.empty() ? "" : fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", html_text(refresh));
    const std::string head = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n{}<title>{} - snapviewer</title>\n<style>{}</style>\n</head>\n"
        "<body>\n",
        again, html_name(title), k_style);
    body.insert(0, head);
    body += "</body>\n</html>\n";
    return body;
}

std::string html_way(std::string_view root_name, std::span<const std::string> names) {
    std::string way = "<p>";
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string up;
        for (std::size_t step = i; step < names.size(); ++step) up += "../";
        way += fmt::format("<a href=\"{}\">{}</a> / ", up, html_name(i == 0 ? root_name : names[i - 1]));
    }
    return way + fmt::format("<strong>{}</strong></p>\n", html_name(names.empty() ? root_name : names.back()));
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_max_page_bytes = std::size_t{256} << 20;  // maximum memory of all pages that are being built or sent
constexpr std::size_t k_page_bytes_a_byte = 3;                    // memory for a page, per byte of the answer that it shows
constexpr std::size_t k_small_answer_bytes = 1 << 20;             // pages of shorter answers do not wait for memory

/// Returns how many commands may run at once. Each has threads of its own, and the training run on this machine needs
/// processors too.
std::size_t most_at_once() { return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 8); }

std::string name_of(const std::vector<std::string>& words, const std::string& version) {
    std::string name = version;
    for (const std::string& word : words) name += '\0' + word;
    return name;
}

constexpr std::string_view k_folder_prefix = "snapviewer-serve-";
constexpr const char* k_lock_name = ".lock";  // lock file inside the folder, used on Windows

bool is_left_behind(std::string_view name) {
    const bool is_picture = name.ends_with(".png") && parse_number<std::uint64_t>(name.substr(0, name.size() - 4));
    return is_picture || is_temporary_name(name) || name == k_lock_name;
}

/// Removes the folders of this user's servers that were killed. Their folders are not locked by any process.
void remove_abandoned_folders(const fs::path& all) {
    std::error_code failed;
    for (fs::directory_iterator entry(all, failed); !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
        const std::string path = entry->path().string();
        if (!entry->path().filename().string().starts_with(k_folder_prefix)) continue;
        std::error_code unknown;
        const auto state = state_of(open_to_read(path, SymbolicLinks::refuse, unknown), unknown);
        if (!state || state->kind != FileState::Kind::folder || !state->is_own) continue;
        const FileHandle lock = open_lock_of_folder(path);
        if (!lock.is_open() || lock_file(lock)) continue;
        remove_files_in(path, is_left_behind, [](const FileHandle&) { return true; });
        remove_folder(path.c_str());
    }
}

struct LockedFolder {
    std::string path;
    FileHandle lock;
};

Result<LockedFolder> make_own_folder() {
    std::error_code failed;
    const fs::path all = fs::temp_directory_path(failed);
    if (!failed) remove_abandoned_folders(all);
    std::random_device random;
    while (!failed) {
        const fs::path own = all / fmt::format("{}{:08x}{:08x}", k_folder_prefix, random(), random());
        fs::create_directory(own, failed);
        if (!failed) fs::permissions(own, fs::perms::owner_all, failed);
        if (failed) break;
        FileHandle lock = open_lock_of_folder(own.string());
        // A server that starts at the same time may consider the folder abandoned before it is locked, and remove it; so
        // this checks that the folder still exists.
        if (lock.is_open() && lock_file(lock) == std::errc::operation_would_block) continue;
        if (fs::exists(own, failed)) return LockedFolder{own.string(), std::move(lock)};
    }
    return Error{ErrorCode::environment, "there is no folder for temporary files: " + failed.message()};
}

}  // namespace

Result<std::unique_ptr<ServeCommands>> ServeCommands::create() {
    Result<LockedFolder> folder = make_own_folder();
    if (!folder) return folder.error();
    return std::unique_ptr<ServeCommands>(new ServeCommands(std::move(folder->path), std::move(folder->lock)));
}

ServeCommands::~ServeCommands() {
    lock_ = FileHandle();
    remove_file((with_separator(folder_.path()) + k_lock_name).c_str());
}

ServeCommands::ServeCommands(std::string folder, FileHandle lock)
    : folder_(std::move(folder), TemporaryPath::Kind::folder),
      lock_(std::move(lock)),
      cache_(most_at_once()),
      pages_(k_max_page_bytes) {}

ServeCommands::Answer ServeCommands::ask(std::vector<std::string> arguments, const std::string& version,
                                         std::uint64_t file_bytes, const IsReaderGone& is_reader_gone) {
    arguments.insert(arguments.begin(), program_path().string());
    const auto make = [&](const std::function<bool()>& should_stop, std::size_t max_output_bytes) {
        return run_child(arguments, should_stop, max_output_bytes);
    };
    return cache_.get(name_of(arguments, version), file_bytes, make, is_reader_gone);
}

ServeCommands::Answer ServeCommands::draw(const save_picture::PictureSpec& spec, const std::string& version,
                                          std::uint64_t file_bytes, const IsReaderGone& is_reader_gone) {
    const auto make = [&](const std::function<bool()>& should_stop, std::size_t max_output_bytes) {
        const TemporaryPath out(fmt::format("{}/{}.png", folder_.path(), ++pictures_));
        save_picture::PictureSpec written = spec;
        written.out = out.path();
        std::vector<std::string> words = save_picture::command_words(written);
        words.front() = program_path().string();
        ChildAnswer answer = run_child(words, should_stop, max_output_bytes);
        if (!answer.is_done()) return answer;
        std::error_code unknown;
        if (fs::file_size(out.path(), unknown) > max_output_bytes && !unknown)
            return ChildAnswer{.outcome = ChildAnswer::Outcome::too_long};
        Result<std::string> picture = read_plain_file(out.path(), k_max_output_bytes);
        if (!picture) return ChildAnswer{.outcome = ChildAnswer::Outcome::no_program, .messages = picture.error().text()};
        answer.output = *std::move(picture);
        return answer;
    };
    return cache_.get(name_of(save_picture::command_words(spec), version), file_bytes, make, is_reader_gone);
}

std::optional<PageRoom> ServeCommands::room_for_page(std::size_t answer_bytes, const IsReaderGone& is_reader_gone) {
    if (answer_bytes <= k_small_answer_bytes) return PageRoom();
    PageRoom room = pages_.take(answer_bytes * k_page_bytes_a_byte, is_reader_gone);
    return room == nullptr ? std::nullopt : std::optional(std::move(room));
}

namespace {

constexpr int k_status_at_fault = 1;
constexpr int k_status_wrong_usage = 2;
constexpr const char* k_not_answered = "The command could not answer: ";

void drop_beginning(std::string_view& text, std::string_view beginning) {
    if (text.starts_with(beginning)) text.remove_prefix(beginning.size());
}

std::pair<int, std::string> why_unanswered(const ChildAnswer& answer, const std::string& message, int at_fault) {
    switch (answer.outcome) {
        case ChildAnswer::Outcome::stopped: return {503, "The answer is not wanted any more, or snapviewer serve is ending"};
        case ChildAnswer::Outcome::too_slow:
            return {503, "The answer took too long. Ask again when fewer others ask, or ask on the machine itself"};
        case ChildAnswer::Outcome::too_long:
            return {413, "The answer is longer than 64 MiB. Ask for less, or ask on the machine itself"};
        case ChildAnswer::Outcome::no_program: return {500, k_not_answered + message};
        case ChildAnswer::Outcome::ended: break;
    }
    if (answer.status == k_status_at_fault) return {at_fault, message};
    if (answer.status == k_status_wrong_usage) return {400, message};
    return {500, k_not_answered + (message.empty() ? fmt::format("it ended with status {}", answer.status) : message)};
}

}  // namespace

HttpAnswer html_answer(std::string html, PageRoom room) {
    if (room != nullptr) room->shrink_to(html.size());
    return {.body = std::move(html), .room = std::move(room)};
}

HttpAnswer json_answer(std::string json) { return {.type = "application/json", .body = std::move(json)}; }

HttpAnswer output_answer(const std::shared_ptr<const ChildAnswer>& answer, std::string type) {
    return {.type = std::move(type), .shared_body = {answer, &answer->output}};
}

HttpAnswer busy(const RequestTarget& target) {
    return refusal(503, "Other large pages take all memory. Ask again when fewer others ask", target);
}

HttpAnswer refusal(int status, std::string_view sentence, const RequestTarget& target) {
    HttpAnswer answer;
    if (target.has("json")) {
        const nlohmann::ordered_json json = {{"error", sentence}};
        answer = json_answer(json_text(json) + "\n");
    } else {
        answer =
            html_answer(html_page("Not shown", fmt::format("<pre class=\"error\">{}</pre>\n", html_text(sentence)), ""));
    }
    answer.status = status;
    return answer;
}

HttpAnswer not_found() { return {.status = 404, .type = "text/plain; charset=utf-8", .body = "Not found\n"}; }

HttpAnswer redirection(const std::string& link) {
    return {.status = 302, .type = "text/plain; charset=utf-8", .headers = {{"Location", link}}, .body = link + "\n"};
}

std::string message_of(const ChildAnswer& answer, const std::string& path) {
    std::string message;
    for (std::string_view rest = answer.messages; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        drop_beginning(line, "snapviewer: ");
        drop_beginning(line, terminal_text(path) + ": ");
        if (!line.empty()) message += (message.empty() ? "" : "\n") + std::string(line);
    }
    return message;
}

HttpAnswer refusal_of(const ChildAnswer& answer, const std::string& path, int at_fault, const RequestTarget& target) {
    const auto [status, sentence] = why_unanswered(answer, message_of(answer, path), at_fault);
    return refusal(status, sentence, target);
}

}  // namespace snapviewer::serve
