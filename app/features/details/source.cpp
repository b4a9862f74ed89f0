#include "app/features/details/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/system/files.h"

namespace snapviewer::details {
namespace {

/// The beginning of a path as it is written in a line, without blanks around it and a separator at its end.
std::string beginning(std::string_view text) { return std::string(without_separator(trimmed(text))); }

/// Replaces every `{file}` and `{line}` in one pass, so that placeholders inside the inserted path are not replaced.
std::string filled_in(std::string_view word, const std::string& path, const std::string& line) {
    std::string filled;
    while (!word.empty()) {
        const std::size_t brace = std::min(word.find('{'), word.size());
        filled += word.substr(0, brace);
        word.remove_prefix(brace);
        const bool is_file = word.starts_with("{file}");
        if (is_file || word.starts_with("{line}")) {
            filled += is_file ? path : line;
            word.remove_prefix(6);
        } else if (!word.empty()) {
            filled += word.front();
            word.remove_prefix(1);
        }
    }
    return filled;
}

Result<std::vector<std::string>> words_of(std::string_view command) {
    std::vector<std::string> words;
    bool is_in_word = false;
    char quote = 0;
    for (const char c : command) {
        if (quote != 0 ? c == quote : c == '"' || c == '\'') {
            quote = quote == 0 ? c : '\0';
            if (!is_in_word) words.emplace_back();
            is_in_word = true;
        } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
            is_in_word = false;
        } else {
            if (!is_in_word) words.emplace_back();
            is_in_word = true;
            words.back() += c;
        }
    }
    if (quote != 0) return Error{ErrorCode::bad_query, fmt::format("The editor's command has an unclosed {}", quote)};
    return words;
}

}  // namespace

Result<PathMap> PathMap::parse(std::string_view text) {
    PathMap map;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (beginning(line).empty()) continue;
        const std::size_t equals = line.find('=');
        const std::string from = beginning(line.substr(0, equals));
        const std::string to = equals == line.npos ? from : beginning(line.substr(equals + 1));
        if (from.empty() || normal_path(to).empty()) {
            return Error{ErrorCode::bad_query,
                         fmt::format("Line {} of the folders must be the full path of a folder, or \"FROM=TO\" where TO is "
                                     "one",
                                     number)};
        }
        map.roots_.push_back(to);
        if (equals != line.npos) map.beginnings_.emplace_back(from, to);
    }
    return map;
}

std::string PathMap::here(const std::string& path) const {
    for (const auto& [from, to] : beginnings_) {
        if (!path.starts_with(from)) continue;
        const std::string rest = path.substr(from.size());
        if (rest.empty() || is_separator(rest.front()) || from == "/") return to + (from == "/" ? "/" : "") + rest;
    }
    return path;
}

std::string normal_path(const std::string& path) {
    const std::size_t drive = length_of_drive(path);
    if ((drive == 0 && !path.starts_with('/')) || path.find('\0') != path.npos) return {};
    std::string normal = std::filesystem::path(path.substr(drive)).lexically_normal().generic_string();
    // Removes all leading slashes, because lexically_normal() keeps "//host" as a root name.
    normal.erase(0, std::min(normal.find_first_not_of('/'), normal.size()));
    while (normal.ends_with('/')) normal.pop_back();
    return path.substr(0, drive) + "/" + normal;
}

bool is_below(const std::string& path, const std::string& folder) {
    if (folder.ends_with('/')) return path.starts_with(folder);
    return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

bool is_source_path(const std::string& path) {
    static constexpr std::array k_endings = {".py",  ".pyx", ".pyi", ".c",  ".cc", ".cpp",
                                             ".cxx", ".h",   ".hpp", ".cu", ".cuh"};
    static constexpr std::array k_virtual_folders = {"/proc", "/sys", "/dev", "/net"};
    const std::string normal = normal_path(path);
    return std::ranges::any_of(k_endings, [&](const char* ending) { return normal.ends_with(ending); }) &&
           std::ranges::none_of(k_virtual_folders, [&](const char* folder) { return is_below(normal, folder); });
}

Result<std::vector<std::string>> editor_words(std::string_view command, const std::string& path, std::uint32_t line) {
    Result<std::vector<std::string>> words = words_of(command);
    if (!words || words->empty()) return words;
    const bool has_file = std::any_of(words->begin() + 1, words->end(),
                                      [](const std::string& word) { return word.find("{file}") != word.npos; });
    if (!has_file) return Error{ErrorCode::bad_query, "The editor's command must contain {file}"};
    for (auto word = words->begin() + 1; word != words->end(); ++word) *word = filled_in(*word, path, std::to_string(line));
    return words;
}

namespace {

constexpr std::size_t k_max_files = 128;
constexpr std::uint64_t k_max_bytes = std::uint64_t{4} << 20;
constexpr std::size_t k_max_line_bytes = 400;

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
    Result<std::string> text = read_plain_file(real, k_max_bytes);
    return text ? *std::move(text) : std::string();
}

std::string line_of(std::string_view text, std::uint32_t number) {
    for (std::uint32_t line = 1; line < number && !text.empty(); ++line)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text = text.substr(0, text.find('\n'));
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text = text.substr(begin, k_max_line_bytes);
    std::string shown = one_line(valid_utf8(text));
    while (shown.ends_with(' ')) shown.pop_back();
    return shown;
}

}  // namespace

std::vector<std::string> read_source_lines(const std::vector<SourcePlace>& places, const std::vector<std::string>& roots,
                                           const Progress& progress) {
    const Roots below(roots);
    std::vector<std::string> texts;
    std::map<std::string, std::string> files;
    for (const SourcePlace& place : places) {
        auto file = files.find(place.path);
        if (file == files.end() && files.size() < k_max_files && !progress.stop_requested())
            file = files.emplace(place.path, source_text(place.path, below)).first;
        const bool has_line = file != files.end() && place.line > 0;
        texts.push_back(has_line ? line_of(file->second, place.line) : std::string());
    }
    return texts;
}

}  // namespace snapviewer::details
