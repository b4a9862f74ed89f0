#include "app/jobs/source_task.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "app/jobs/sandboxed.h"
#include "app/text/source_places.h"
#include "core/base/plain_file.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_files = 128;
constexpr std::uint64_t k_largest_bytes = std::uint64_t{4} << 20;
constexpr std::size_t k_longest_line_bytes = 400;

std::string source_text(const std::string& path) {
    if (!is_source_path(path)) return {};
    const auto file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file || file->info().size_bytes > k_largest_bytes) return {};
    std::string text(file->info().size_bytes, '\0');
    return file->read(std::as_writable_bytes(std::span(text)), 0) ? text : std::string();
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

Job<SourceLines>::Work reading_lines(std::vector<SourcePlace> places) {
    return [places = std::move(places)](Progress& progress) {
        enter_sandbox_here({});
        SourceLines read{places, {}};
        std::map<std::string, std::string> files;
        for (const SourcePlace& place : places) {
            auto file = files.find(place.path);
            if (file == files.end() && files.size() < k_most_files && !progress.stop_requested())
                file = files.emplace(place.path, source_text(place.path)).first;
            const bool has_line = file != files.end() && place.line > 0;
            read.texts.push_back(has_line ? line_of(file->second, place.line) : std::string());
        }
        return read;
    };
}

}  // namespace snapviewer
