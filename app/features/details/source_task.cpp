#include "app/features/details/source_task.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/features/details/source_places.h"
#include "app/ui/sandboxed.h"
#include "core/base/input_files.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_files = 128;
constexpr std::uint64_t k_largest_bytes = std::uint64_t{4} << 20;
constexpr std::size_t k_longest_line_bytes = 400;

/// The allowed folders, both as given and with all symbolic links resolved.
struct Roots {
    explicit Roots(const std::vector<std::string>& folders) {
        for (const std::string& folder : folders) {
            std::error_code failed;
            const std::filesystem::path found = std::filesystem::canonical(folder, failed);
            if (failed) continue;
            written.push_back(normal_path(folder));
            real.push_back(found.generic_string());
        }
    }
    std::vector<std::string> written, real;
};

bool is_in(const std::string& path, const std::vector<std::string>& folders) {
    return std::ranges::any_of(folders, [&](const std::string& folder) { return is_below(path, folder); });
}

/// The content of a source file, or "" if it may not be read. The path is checked before the first access to the file
/// system, because even a lookup can mount a file system. The path with resolved links is checked again.
std::string source_text(const std::string& path, const Roots& roots) {
    if (!is_source_path(path) || !is_in(normal_path(path), roots.written)) return {};
    std::error_code failed;
    const std::string real = std::filesystem::canonical(normal_path(path), failed).generic_string();
    if (failed || !is_source_path(real) || !is_in(real, roots.real)) return {};
    Result<std::string> text = read_plain_file(real, k_largest_bytes);
    return text ? *std::move(text) : std::string();
}

std::string line_of(std::string_view text, std::uint32_t number) {
    for (std::uint32_t line = 1; line < number && !text.empty(); ++line)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text = text.substr(0, text.find('\n'));
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text = text.substr(begin, k_longest_line_bytes);
    std::string shown = one_line(valid_utf8(text));
    while (shown.ends_with(' ')) shown.pop_back();
    return shown;
}

}  // namespace

Job<SourceLines>::Work make_source_job(std::vector<SourcePlace> places, std::vector<std::string> roots) {
    return [places = std::move(places), folders = std::move(roots)](Progress& progress) {
        enter_sandbox_here({});
        const Roots below(folders);
        SourceLines read{places, {}};
        std::map<std::string, std::string> files;
        for (const SourcePlace& place : places) {
            auto file = files.find(place.path);
            if (file == files.end() && files.size() < k_most_files && !progress.stop_requested())
                file = files.emplace(place.path, source_text(place.path, below)).first;
            const bool has_line = file != files.end() && place.line > 0;
            read.texts.push_back(has_line ? line_of(file->second, place.line) : std::string());
        }
        return read;
    };
}

}  // namespace snapviewer
