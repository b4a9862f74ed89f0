#include "core/fleet/series/series_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"

namespace snapviewer::series {
namespace {

/// Words after the device in a recorder's file names. A name without such a word is the snapshot of the program's end.
constexpr std::array<std::string_view, 4> k_reasons = {"series", "oom", "signal", "time"};

std::filesystem::path without_packing(std::filesystem::path path) {
    if (fleet::is_packed(path)) path.replace_extension();
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
    const fleet::RankName found = fleet::rank_in_path(plain.parent_path() / (stem + "_"));
    name.rank = found.rank;
    name.device = found.device;
    const std::size_t behind_text = stem.find_last_not_of("0123456789") + 1;
    name.number = parse_number<std::uint64_t>(std::string_view(stem).substr(behind_text));
    return name;
}

std::filesystem::path about_path(const std::filesystem::path& path) {
    return without_packing(path).replace_extension(fleet::k_about_suffix);
}

bool reports_failure(const std::filesystem::path& path) { return path.filename().string().ends_with("_failed.about.json"); }

namespace {

namespace fs = std::filesystem;

constexpr int k_max_series_depth = 64;

/// Calls `take` for each file below the folder, except hidden ones, until `take` returns false. Returns the system error
/// that ended the search early, if any.
template <typename Take>
std::error_code walk_folder(const fs::path& folder, Take take) {
    std::error_code failed;
    auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
    for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
        check_stop();
        const bool is_hidden = entry->path().filename().string().starts_with('.');
        std::error_code ignored;
        if (is_hidden || entry.depth() >= k_max_series_depth) entry.disable_recursion_pending();
        if (!is_hidden && !entry->is_directory(ignored) && !take(entry->path())) break;
    }
    return failed;
}

/// Size and modification time of a file; zeros if it does not exist.
std::pair<std::uint64_t, std::int64_t> size_and_time_of(const fs::path& path) {
    std::error_code failed;
    const std::uintmax_t bytes = fs::file_size(path, failed);
    if (failed) return {};
    const fs::file_time_type written = fs::last_write_time(path, failed);
    return {bytes, failed ? 0 : static_cast<std::int64_t>(written.time_since_epoch().count())};
}

/// Searches folders and collects the files of the series.
class SeriesFileFinder {
public:
    void add(const std::string& given) {
        std::error_code ignored;
        if (fs::is_directory(given, ignored)) {
            add_folder(given);
        } else {
            add_file(given);
        }
    }

    std::vector<SeriesFile> take() {
        std::ranges::stable_sort(files_,
                                 [](const SeriesFile& a, const SeriesFile& b) { return compare_names(a.path, b.path) < 0; });
        return std::move(files_);
    }

private:
    void add_folder(const fs::path& folder) {
        const std::error_code failed = walk_folder(folder, [this](const fs::path& path) {
            const std::string name = path.filename().string();
            if (reports_failure(path) || (fleet::has_snapshot_ending(name) && !name.ends_with(fleet::k_about_suffix)))
                add_file(path);
            return true;
        });
        if (failed) files_.push_back({.path = folder.string(), .stamp = {}, .name = {}, .error = failed.message()});
    }

    void add_file(const fs::path& path) {
        if (!seen_.insert(path.lexically_normal().string()).second) return;
        SeriesFile& file = files_.emplace_back();
        file.path = path.string();
        file.is_failure = reports_failure(path);
        file.name = sample_in_path(path);
        std::tie(file.stamp.file_bytes, file.stamp.written) = size_and_time_of(path);
        if (!file.is_failure)
            std::tie(file.stamp.about_bytes, file.stamp.about_written) = size_and_time_of(about_path(path));
    }

    std::set<std::string> seen_;
    std::vector<SeriesFile> files_;
};

}  // namespace

bool holds_series(const std::string& folder) {
    bool is_found = false;
    const Status searched = caught([&] {
        walk_folder(folder, [&](const fs::path& path) {
            is_found = fleet::has_snapshot_ending(path.filename().string()) && sample_in_path(path).why == "series";
            return !is_found;
        });
    });
    return searched && is_found;
}

Result<std::vector<SeriesFile>> find_series_files(std::span<const std::string> paths, Progress& progress) {
    return caught(&progress, [&] {
        SeriesFileFinder finder;
        for (const std::string& path : paths) {
            check_stop();
            finder.add(path);
        }
        return finder.take();
    });
}

namespace {

using JsonValue = nlohmann::json;

constexpr std::uint64_t k_max_about_bytes = 1 << 20;
constexpr std::uint64_t k_max_memory_bytes = std::uint64_t{1} << 60;
constexpr std::size_t k_max_kept_bytes = 300;  ///< Maximum length of a text that is kept; longer ones are shortened.

/// Reads one JSON object and remembers the first field of the wrong type.
class AboutReader {
public:
    explicit AboutReader(const JsonValue& object) : object_(object) {}

    AboutFile read() {
        about_.why = text(object_, "why");
        about_.host = text(object_, "host");
        about_.failed = text(object_, "failed");
        about_.rank = rank();
        about_.device = integer(object_, "device", INT32_MAX);
        about_.step = integer(object_, "step", INT64_MAX);
        about_.pid = integer(object_, "pid", INT64_MAX);
        read_time();
        const JsonValue& torch = object(object_, "torch");
        about_.allocated_bytes = bytes(torch, "allocated_bytes");
        about_.reserved_bytes = bytes(torch, "reserved_bytes");
        const JsonValue& nvml = object(object_, "nvml");
        about_.device_total_bytes = bytes(nvml, "total_bytes");
        if (!about_.device_total_bytes) about_.device_total_bytes = bytes(torch, "device_total_bytes");
        about_.device_used_bytes = bytes(nvml, "used_bytes");
        about_.other_processes_bytes = bytes(nvml, "other_processes_bytes");
        return std::move(about_);
    }

private:
    /// Returns JSON null if the object has no such member.
    static const JsonValue& member(const JsonValue& of, const char* name) {
        static const JsonValue k_none;
        const auto found = of.find(name);
        return found == of.end() ? k_none : *found;
    }

    void ignore(const char* name) {
        if (about_.ignored.empty())
            about_.ignored = fmt::format("\"{}\" is not what a recorder writes, so it is left out", name);
    }

    const JsonValue& object(const JsonValue& of, const char* name) {
        static const JsonValue k_empty = JsonValue::object();
        const JsonValue& value = member(of, name);
        if (value.is_object()) return value;
        if (!value.is_null()) ignore(name);
        return k_empty;
    }

    std::string text(const JsonValue& of, const char* name) {
        const JsonValue& value = member(of, name);
        if (value.is_string()) return shortened(valid_utf8(value.get_ref<const std::string&>()), k_max_kept_bytes);
        if (!value.is_null()) ignore(name);
        return "";
    }

    std::optional<std::int64_t> integer(const JsonValue& of, const char* name, std::int64_t most) {
        const JsonValue& value = member(of, name);
        if (value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most))
            return value.get<std::int64_t>();
        if (!value.is_null()) ignore(name);
        return std::nullopt;
    }

    std::optional<std::uint64_t> bytes(const JsonValue& of, const char* name) {
        const auto value = integer(of, name, k_max_memory_bytes);
        return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
    }

    /// A launcher may name its ranks by any text. Such a rank is ignored without a complaint.
    std::optional<std::int64_t> rank() {
        return member(object_, "rank").is_string() ? std::nullopt : integer(object_, "rank", INT32_MAX);
    }

    void read_time() {
        const std::string written = text(object_, "time");
        about_.time_us = parse_time_us(written);
        if (!written.empty() && !about_.time_us) ignore("time");
    }

    const JsonValue& object_;
    AboutFile about_;
};

/// Removes `before` and then `count` digits from the front of `text`, and returns the number. Changes nothing and returns
/// nullopt if the text does not begin like that.
std::optional<int> take_digits(std::string_view& text, std::string_view before, std::size_t count) {
    if (!text.starts_with(before) || digits_at(text, before.size()).size() < count) return std::nullopt;
    const auto number = parse_number<int>(text.substr(before.size(), count));
    text.remove_prefix(before.size() + count);
    return number;
}

/// Removes an optional fraction such as ".25" from the front of `text` and returns it in microseconds.
int take_fraction_us(std::string_view& text) {
    if (!text.starts_with('.')) return 0;
    const std::string_view digits = digits_at(text, 1);
    text.remove_prefix(1 + digits.size());
    std::string six(digits.substr(0, 6));
    six.resize(6, '0');
    return parse_number<int>(six).value_or(0);
}

/// Parses a time zone ("Z", "+05:30" or an empty text) to minutes; nullopt for anything else.
std::optional<int> zone_minutes(std::string_view text) {
    if (text.empty() || text == "Z") return 0;
    const int sign = text.starts_with('-') ? -1 : 1;
    const auto hours = take_digits(text, text.substr(0, text.starts_with('+') || text.starts_with('-') ? 1 : 0), 2);
    const auto minutes = take_digits(text, ":", 2);
    if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
    return sign * (*hours * 60 + *minutes);
}

}  // namespace

std::optional<std::int64_t> parse_time_us(std::string_view text) {
    using namespace std::chrono;
    const auto years = take_digits(text, "", 4), months = take_digits(text, "-", 2),
               days_of_month = take_digits(text, "-", 2);
    const auto hour = take_digits(text, text.starts_with(' ') ? " " : "T", 2), minute = take_digits(text, ":", 2),
               second = take_digits(text, ":", 2);
    if (!years || !months || !days_of_month || !hour || !minute || !second) return std::nullopt;
    const int fraction_us = take_fraction_us(text);
    const auto zone = zone_minutes(text);
    const year_month_day date{year(*years), month(static_cast<unsigned>(*months)),
                              day(static_cast<unsigned>(*days_of_month))};
    if (!zone || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const sys_time<microseconds> time =
        sys_days(date) + hours(*hour) + minutes(*minute) - minutes(*zone) + seconds(*second) + microseconds(fraction_us);
    return time.time_since_epoch().count();
}

Result<AboutFile> read_about_file(const std::string& path) {
    const Result<std::string> text = read_plain_file(path, k_max_about_bytes);
    if (!text) return text.error();
    const JsonValue object = parse_json(*text);
    if (!object.is_object()) return Error{ErrorCode::bad_file, "is no JSON object as a recorder writes it"};
    return AboutReader(object).read();
}

}  // namespace snapviewer::series
