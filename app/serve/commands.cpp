#include "app/serve/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/number_text.h"
#include "core/system/files.h"
#include "core/system/processes.h"

namespace snapviewer {
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
    const std::vector<std::string> words = own_command(std::move(arguments));
    const auto make = [&](const std::function<bool()>& should_stop, std::size_t max_output_bytes) {
        return run_child(words, should_stop, max_output_bytes);
    };
    return cache_.get(name_of(words, version), file_bytes, make, is_reader_gone);
}

ServeCommands::Answer ServeCommands::draw(const PictureSpec& spec, const std::string& version, std::uint64_t file_bytes,
                                          const IsReaderGone& is_reader_gone) {
    const auto make = [&](const std::function<bool()>& should_stop, std::size_t max_output_bytes) {
        const TemporaryPath out(fmt::format("{}/{}.png", folder_.path(), ++pictures_));
        PictureSpec written = spec;
        written.out = out.path();
        std::vector<std::string> words = command_words(written);
        words.front() = own_program().string();
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
    return cache_.get(name_of(command_words(spec), version), file_bytes, make, is_reader_gone);
}

std::optional<PageRoom> ServeCommands::room_for_page(std::size_t answer_bytes, const IsReaderGone& is_reader_gone) {
    if (answer_bytes <= k_small_answer_bytes) return PageRoom();
    PageRoom room = pages_.take(answer_bytes * k_page_bytes_a_byte, is_reader_gone);
    return room == nullptr ? std::nullopt : std::optional(std::move(room));
}

}  // namespace snapviewer
