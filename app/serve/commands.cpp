#include "app/serve/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/plain_file.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_most_picture_bytes = std::uint64_t{128} << 20;

/// Each of them has threads of its own, and a core should be left for the training run.
std::size_t most_at_once() { return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 8); }

std::string name_of(const std::vector<std::string>& words, const std::string& version) {
    std::string name = version;
    for (const std::string& word : words) name += '\0' + word;
    return name;
}

Result<std::string> make_own_folder() {
    std::error_code failed;
    const fs::path all = fs::temp_directory_path(failed);
    std::random_device random;
    const fs::path own = all / fmt::format("snapviewer-serve-{:08x}{:08x}", random(), random());
    if (!failed) fs::create_directory(own, failed);
    if (!failed) fs::permissions(own, fs::perms::owner_all, failed);
    if (failed) return Error{ErrorCode::environment, "there is no folder for temporary files: " + failed.message()};
    return own.string();
}

}  // namespace

Result<std::unique_ptr<ServeCommands>> ServeCommands::create() {
    Result<std::string> folder = make_own_folder();
    if (!folder) return folder.error();
    return std::unique_ptr<ServeCommands>(new ServeCommands(*std::move(folder)));
}

ServeCommands::ServeCommands(std::string folder)
    : folder_(std::move(folder), TemporaryPath::Kind::folder), cache_(most_at_once()) {}

ServeCommands::Answer ServeCommands::ask(std::vector<std::string> arguments, const std::string& version,
                                         std::uint64_t file_bytes, const IsReaderGone& is_reader_gone) {
    const std::vector<std::string> words = own_command(std::move(arguments));
    const auto make = [&](const std::function<bool()>& should_stop) { return run_child(words, should_stop); };
    return cache_.get(name_of(words, version), file_bytes, make, is_reader_gone);
}

ServeCommands::Answer ServeCommands::draw(const PictureSpec& spec, const std::string& version, std::uint64_t file_bytes,
                                          const IsReaderGone& is_reader_gone) {
    const auto make = [&](const std::function<bool()>& should_stop) {
        const TemporaryPath out(fmt::format("{}/{}.png", folder_.path(), ++pictures_));
        PictureSpec written = spec;
        written.out = out.path();
        std::vector<std::string> words = command_words(written);
        words.front() = own_program().string();
        ChildAnswer answer = run_child(words, should_stop);
        if (!answer.is_done()) return answer;
        Result<std::string> picture = read_plain_file(out.path(), k_most_picture_bytes);
        if (!picture) return ChildAnswer{.outcome = ChildAnswer::Outcome::no_program, .messages = picture.error().text()};
        answer.output = *std::move(picture);
        return answer;
    };
    return cache_.get(name_of(command_words(spec), version), file_bytes, make, is_reader_gone);
}

}  // namespace snapviewer
