#include "core/load/remote/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "core/load/remote/folder.h"

namespace snapviewer::remote {
namespace {

/// Functions of the shell script that runs on the remote machine. The variables `f` (the path) and `greeting` are set before
/// them. The script is the standard input of sh, so that the login shell, whichever it is, never sees the path. After the
/// greeting, the script announces how it packs the file and how large the unpacked file is.
constexpr const char* k_script = R"sh(
no() { echo "$1" >&2; exit 1; }
say() { printf '\n%s %s\n' "$greeting" "$1"; }
look() {
    why=
    if [ -d "$f" ]; then why='it is a folder; with a / behind its name it is opened as a fleet'
    elif [ ! -e "$f" ]; then why='no such file on that machine'
    elif [ ! -f "$f" ]; then why='it is not a regular file'
    elif [ ! -r "$f" ]; then why='that user may not read it'
    elif [ -s "$f-wal" ] && [ "$(head -c 13 < "$f")" = 'SQLite format' ]; then
        why='it is a database with changes in a -wal file beside it; close it in the program that writes it'
    fi
    [ -z "$why" ]
}
bring() {
    pack=plain
    case "$f" in
    *.zst|*.gz|*.bz2|*.xz|*.lzma|*.zip) ;;
    *) if command -v zstd >/dev/null 2>&1; then pack=zstd; elif command -v gzip >/dev/null 2>&1; then pack=gzip; fi ;;
    esac
    say "$pack $(wc -c < "$f")"
    case $pack in
    zstd) zstd -q -3 -c < "$f" ;;
    gzip) gzip -1 -c < "$f" ;;
    *) cat < "$f" ;;
    esac
}
)sh";

/// Script that sends one file.
constexpr const char* k_file_script = R"sh(
look || no "$why"
bring
)sh";

/// Script for a folder, which runs until its standard input ends. A line ./NAME adds a file to the next request; other lines
/// are requests: list, send, summarise.
constexpr const char* k_folder_script = R"sh(
unset CDPATH
cd -- "$f" 2>/dev/null || no 'no such folder on that machine'
if stat -c %s . >/dev/null 2>&1; then sizes='-c'; form='%s %Y %n'; else sizes='-f'; form='%z %m %N'; fi
newline='
'
list() {
    say list
    find . -name '.?*' -prune -o -name "*$newline*" -prune -o \( -type f -o -type l \) -exec stat -L "$sizes" "$form" {} + 2>/dev/null
    say end
}
summarise() {
    if why=$(snapviewer fleet "$@" --write "$made/fleet.db" 2>&1 >/dev/null </dev/null); then
        f=$made/fleet.db
        bring
        say "end $?"
    else
        say "error $why"
    fi
    rm -f "$made/fleet.db"
}
for tool in find stat; do
    command -v $tool >/dev/null 2>&1 || no "$tool, which lists the folder, is not installed on that machine; name the files one by one"
done
own=
if command -v snapviewer >/dev/null 2>&1 && made=$(mktemp -d); then
    own=snapviewer
    trap 'rm -rf "$made"' EXIT
    trap 'exit 1' HUP INT PIPE TERM
fi
say "ready $own"
set --
while IFS= read -r line; do
    case "$line" in
    ./*) set -- "$@" "$line" ;;
    list) list </dev/null ;;
    summarise) summarise "$@"; set -- ;;
    send)
        for f in "$@"; do
            if look; then bring; say "end $?"; else say "error $why"; fi
        done
        set -- ;;
    esac
done
)sh";

std::string quoted_for_shell(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

/// Quotes a path for the remote shell. A leading ~/ means the user's home on the remote machine.
std::string path_for_shell(const std::string& path) {
    if (path.starts_with("~/")) return "\"$HOME\"/" + quoted_for_shell(path.substr(2));
    return quoted_for_shell(path);
}

std::string new_greeting() {
    std::random_device random;
    return fmt::format("snapviewer-{:08x}{:08x}", random(), random());
}

std::vector<std::string> split_words(const std::string& command) {
    std::istringstream words(command);
    return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::string> ssh_words(const RemoteAddress& address) {
    // Options that override settings of the user's ssh configuration that are meant for interactive logins: forwardings,
    // which may fail, a command and a terminal. They also make ssh give up on a silent machine after a minute.
    std::vector<std::string> words = split_words(
        "ssh -T -x -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ClearAllForwardings=yes -o PermitLocalCommand=no "
        "-o RemoteCommand=none");
    if (!address.port.empty()) words.insert(words.end(), {"-p", address.port});
    words.insert(words.end(), {"--", address.host, "sh"});
    return words;
}

std::vector<std::string> curl_words() {
    return split_words(
        "curl --disable --silent --show-error --fail --location --max-redirs 10 --proto =http,https --globoff --include "
        "--suppress-connect-headers --connect-timeout 15 --speed-limit 1000 --speed-time 60 --config -");
}

/// Returns the link as a configuration that curl reads from standard input: other users can read a command line, and a link
/// may contain a password.
std::string curl_input(const std::string& link) {
    std::string input = "url = \"";
    for (const char c : link) input += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return input + "\"\n";
}

Result<RemoteFetch> start(const std::string& path, ChildProgram::Terminal terminal) {
    RemoteFetch fetch;
    fetch.address = remote_address(path).value_or(RemoteAddress{});
    const bool is_ssh = fetch.address.transport == RemoteAddress::Transport::ssh;
    const bool is_folder = is_remote_folder(path);
    if (is_ssh) fetch.greeting = new_greeting();
    const std::string input = is_ssh ? fmt::format("f={}\ngreeting={}{}{}", path_for_shell(fetch.address.path),
                                                   fetch.greeting, k_script, is_folder ? k_folder_script : k_file_script)
                                     : curl_input(fetch.address.link);
    const std::vector<std::string> words = is_ssh ? ssh_words(fetch.address) : curl_words();
    std::error_code failed;
    const auto more = is_folder ? ChildProgram::Input::later : ChildProgram::Input::none;
    fetch.program = ChildProgram::start(words, input, terminal, failed, more);
    if (fetch.program != nullptr) return fetch;
    if (failed == std::errc::no_such_file_or_directory)
        return Error{ErrorCode::environment, words.front() + " is not installed"};
    return start_error(words.front(), failed);
}

/// All transfers that wait to be taken, all programs that may still run, and all connections to folders.
struct Fetches {
    std::mutex mutex;
    std::vector<std::pair<std::string, RemoteFetch>> waiting;
    std::vector<std::pair<std::string, std::weak_ptr<ChildProgram>>> started;
    std::map<std::string, std::shared_ptr<RemoteFolder>> folders;

    void note(const std::string& path, const RemoteFetch& fetch) {
        std::erase_if(started, [](const auto& each) { return each.second.expired(); });
        started.emplace_back(path, fetch.program);
    }
};

/// Ends the programs that are still running when this program exits.
struct EndOfFetches {
    Fetches& all;
    ~EndOfFetches() {
        const std::lock_guard lock(all.mutex);
        for (const auto& [path, program] : all.started) {
            if (const auto running = program.lock()) running->end();
        }
    }
};

/// Returns the process-wide Fetches. It is never destroyed, because a thread that watches a folder may outlive static
/// objects.
Fetches& fetches() {
    static Fetches& all = *new Fetches;
    static const EndOfFetches end{all};
    return all;
}

}  // namespace

Status start_fetch(const std::string& path, ChildProgram::Terminal terminal) {
    if (!is_remote(path)) return {};
    if (const auto folder = remote_folder(path); folder != nullptr && folder->is_connected()) return {};
    Result<RemoteFetch> fetch = start(path, terminal);
    if (!fetch) return fetch.error();
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    all.note(path, *fetch);
    if (is_remote_folder(path))
        all.folders.insert_or_assign(path, std::make_shared<RemoteFolder>(*std::move(fetch)));
    else
        all.waiting.emplace_back(path, *std::move(fetch));
    return {};
}

std::shared_ptr<RemoteFolder> remote_folder(const std::string& path) {
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    const auto found = all.folders.find(path);
    return found == all.folders.end() ? nullptr : found->second;
}

void queue_fetch(const std::string& path, RemoteFetch fetch) {
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    all.waiting.emplace_back(path, std::move(fetch));
}

Result<RemoteFetch> take_fetch(const std::string& path) {
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    const auto waiting = std::ranges::find(all.waiting, path, &std::pair<std::string, RemoteFetch>::first);
    if (waiting != all.waiting.end()) {
        RemoteFetch fetch = std::move(waiting->second);
        all.waiting.erase(waiting);
        return fetch;
    }
    if (is_remote_folder(path))
        return Error{ErrorCode::unsupported, "is a folder on another machine; snapviewer fleet reads the files in it"};
    Result<RemoteFetch> fetch = start(path, ChildProgram::Terminal::shared);
    if (fetch) all.note(path, *fetch);
    return fetch;
}

void end_fetches(const std::string& path) {
    Fetches& all = fetches();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.waiting, [&](const auto& each) { return each.first == path; });
    if (const auto folder = all.folders.extract(path)) folder.mapped()->end();
    for (const auto& [started, program] : all.started) {
        if (const auto running = program.lock(); running && started == path) running->end();
    }
}

}  // namespace snapviewer::remote
