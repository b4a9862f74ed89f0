#include "core/series/sample_name.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/fleet/rank_name.h"

namespace snapviewer {
namespace {

constexpr std::array<std::string_view, 6> k_packing_endings = {".gz", ".xz", ".bz2", ".lzma", ".zst", ".zip"};
/// Words after the device in a recorder's file names. A name without such a word is the snapshot of the program's end.
constexpr std::array<std::string_view, 4> k_reasons = {"series", "oom", "signal", "time"};

std::filesystem::path without_packing(std::filesystem::path path) {
    if (std::ranges::find(k_packing_endings, path.extension().string()) != k_packing_endings.end()) path.replace_extension();
    return path;
}

/// Removes a word with a number, such as `_device0`, from the front of the text and returns the number. nullopt, and the
/// text unchanged, if the text does not begin with it.
std::optional<std::uint64_t> take_numbered(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return std::nullopt;
    const std::string_view digits = digits_at(text, word.size());
    const auto number = parse_number<std::uint64_t>(digits);
    if (number) text.remove_prefix(word.size() + digits.size());
    return number;
}

/// Parses the part behind `_device0` in a recorder's name. False if the name does not have the recorder's form.
bool read_moment(std::string_view rest, SampleName& name) {
    for (const std::string_view reason : k_reasons) {
        const auto number = take_numbered(rest, "_" + std::string(reason));
        if (!number) continue;
        name.why = reason;
        name.number = number;
        break;
    }
    take_numbered(rest, "_run");  // The recorder adds `_run` and a number if a file with the same name existed.
    if (!rest.empty()) return false;
    if (name.why.empty()) name.why = "end";
    return true;
}

bool read_recorders_name(std::string_view stem, SampleName& name) {
    for (std::size_t at = stem.find("_rank"); at != stem.npos && at > 0; at = stem.find("_rank", at + 1)) {
        std::string_view rest = stem.substr(at);
        const auto rank = take_numbered(rest, "_rank");
        if (!rank || *rank > INT32_MAX) continue;
        const auto device = take_numbered(rest, "_device");
        SampleName found;
        if (!device || *device > INT32_MAX || !read_moment(rest, found)) continue;
        found.rank = static_cast<std::int64_t>(*rank);
        found.device = static_cast<std::int64_t>(*device);
        found.host = valid_utf8(stem.substr(0, at));
        name = std::move(found);
        return true;
    }
    return false;
}

}  // namespace

SampleName sample_in_path(const std::filesystem::path& path) {
    const std::filesystem::path plain = without_packing(path);
    const std::string stem = plain.stem().string();
    SampleName name;
    if (read_recorders_name(stem, name)) return name;
    // The underscore keeps rank_in_path() from taking a number at the end of the name for a rank.
    const RankName told = rank_in_path(plain.parent_path() / (stem + "_"));
    if (told.rank) name.rank = *told.rank;
    if (told.device) name.device = *told.device;
    const std::size_t behind_text = stem.find_last_not_of("0123456789") + 1;
    name.number = parse_number<std::uint64_t>(std::string_view(stem).substr(behind_text));
    return name;
}

std::filesystem::path about_path_of(const std::filesystem::path& path) {
    return without_packing(path).replace_extension(k_about_ending);
}

bool tells_a_failure(const std::filesystem::path& path) { return path.filename().string().ends_with("_failed.about.json"); }

}  // namespace snapviewer
