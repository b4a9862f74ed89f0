#include "core/load/remote_fetch.h"

#include <fmt/format.h>

#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace snapviewer {
namespace {

/// What the shell on the other machine runs, once `f` and `greeting` are set. It comes as its input, so that no login shell,
/// whichever it is, gets to see the path. Says what it sends, and how large that is unpacked, after the greeting.
constexpr const char* k_script = R"sh(
no() { echo "$1" >&2; exit 1; }
case "$f" in
*/)
    [ -d "$f" ] || no 'no such folder on that machine'
    command -v snapviewer >/dev/null 2>&1 || no 'snapviewer is not installed on that machine, where it would summarise the folder; name the files one by one'
    made=$(mktemp -d) || no 'that machine has no room for temporary files'
    trap 'rm -rf "$made"' EXIT
    trap 'exit 1' HUP INT PIPE TERM
    snapviewer fleet "$f" --write "$made/fleet.db" >/dev/null || exit 1
    f=$made/fleet.db ;;
*)
    [ -d "$f" ] && no 'it is a folder; with a / behind its name it is opened as a fleet' ;;
esac
[ -e "$f" ] || no 'no such file on that machine'
[ -f "$f" ] || no 'it is not a regular file'
[ -r "$f" ] || no 'that user may not read it'
if [ -s "$f-wal" ] && [ "$(head -c 13 < "$f")" = 'SQLite format' ]; then
    no 'it is a database with changes in a -wal file beside it; close it in the program that writes it'
fi
pack=plain
case "$f" in
*.zst|*.gz|*.bz2|*.xz|*.lzma|*.zip) ;;
*) if command -v zstd >/dev/null 2>&1; then pack=zstd; elif command -v gzip >/dev/null 2>&1; then pack=gzip; fi ;;
esac
printf '\n%s %s %s\n' "$greeting" "$pack" "$(wc -c < "$f")"
case $pack in
zstd) zstd -q -3 -c < "$f" ;;
gzip) gzip -1 -c < "$f" ;;
*) cat < "$f" ;;
esac
)sh";

std::string quoted_for_shell(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

/// As a word of a shell; what begins with ~/ is below the home of the user there.
std::string path_for_shell(const std::string& path) {
    if (path.starts_with("~/")) return "\"$HOME\"/" + quoted_for_shell(path.substr(2));
    return quoted_for_shell(path);
}

std::string new_greeting() {
    std::random_device random;
    return fmt::format("snapviewer-{:08x}{:08x}", random(), random());
}

std::vector<std::string> ssh_words(const RemoteAddress& address) {
    // What a configuration does for people who log in is not for this: forwardings that may fail, a command, a terminal.
    std::vector<std::string> words = {"ssh", "-T", "-x"};
    for (const char* option :
         {"ConnectTimeout=15", "ClearAllForwardings=yes", "PermitLocalCommand=no", "RemoteCommand=none"})
        words.insert(words.end(), {"-o", option});
    if (!address.port.empty()) words.insert(words.end(), {"-p", address.port});
    words.insert(words.end(), {"--", address.host, "sh"});
    return words;
}

std::vector<std::string> curl_words(const RemoteAddress& address) {
    return {"curl",
            "--disable",
            "--silent",
            "--show-error",
            "--fail",
            "--location",
            "--max-redirs",
            "10",
            "--proto",
            "=http,https",
            "--globoff",
            "--include",
            "--suppress-connect-headers",
            "--connect-timeout",
            "15",
            "--speed-limit",
            "1",
            "--speed-time",
            "60",
            "--",
            address.link};
}

Result<RemoteFetch> start(const std::string& path, ChildProgram::Terminal terminal) {
    RemoteFetch fetch;
    fetch.address = remote_address(path).value_or(RemoteAddress{});
    std::string input;
    if (fetch.address.way == RemoteAddress::Way::ssh) {
        fetch.greeting = new_greeting();
        input = fmt::format("f={}\ngreeting={}{}", path_for_shell(fetch.address.path), fetch.greeting, k_script);
    }
    const bool is_ssh = fetch.address.way == RemoteAddress::Way::ssh;
    const std::vector<std::string> words = is_ssh ? ssh_words(fetch.address) : curl_words(fetch.address);
    std::error_code failed;
    fetch.program = ChildProgram::start(words, input, terminal, failed);
    if (fetch.program != nullptr) return fetch;
    const bool is_absent = failed == std::errc::no_such_file_or_directory;
    return Error{ErrorCode::environment,
                 words.front() + (is_absent ? " is not installed" : " cannot be started: " + failed.message())};
}

/// What was started and not yet taken, and who may still have to be ended.
struct Fetches {
    std::mutex mutex;
    std::vector<std::pair<std::string, RemoteFetch>> waiting;
    std::vector<std::pair<std::string, std::weak_ptr<ChildProgram>>> started;

    void note(const std::string& path, const RemoteFetch& fetch) {
        std::erase_if(started, [](const auto& each) { return each.second.expired(); });
        started.emplace_back(path, fetch.program);
    }
};
Fetches& fetches() {
    static Fetches all;
    return all;
}

}  // namespace

Status start_fetch(const std::string& path, ChildProgram::Terminal terminal) {
    if (!is_remote(path)) return {};
    Result<RemoteFetch> fetch = start(path, terminal);
    if (!fetch) return fetch.error();
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    all.note(path, *fetch);
    all.waiting.emplace_back(path, *std::move(fetch));
    return {};
}

Result<RemoteFetch> take_fetch(const std::string& path) {
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    for (auto it = all.waiting.begin(); it != all.waiting.end(); ++it) {
        if (it->first != path) continue;
        RemoteFetch fetch = std::move(it->second);
        all.waiting.erase(it);
        return fetch;
    }
    Result<RemoteFetch> fetch = start(path, ChildProgram::Terminal::shared);
    if (fetch) all.note(path, *fetch);
    return fetch;
}

void end_fetches(const std::string& path) {
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.waiting, [&](const auto& each) { return each.first == path; });
    for (const auto& [started, program] : all.started) {
        if (const auto running = program.lock(); running && started == path) running->end();
    }
}

}  // namespace snapviewer
