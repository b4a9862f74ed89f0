#include "core/series/about_file.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/plain_file.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::uint64_t k_most_about_bytes = 1 << 20;
constexpr std::uint64_t k_most_memory_bytes = std::uint64_t{1} << 60;
constexpr std::size_t k_most_words_bytes = 300;  ///< Maximum length of a text that is kept; longer ones are shortened.

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
        if (value.is_string()) return shortened(valid_utf8(value.get_ref<const std::string&>()), k_most_words_bytes);
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
        const auto value = integer(of, name, k_most_memory_bytes);
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
    const Result<std::string> text = read_plain_file(path, k_most_about_bytes);
    if (!text) return text.error();
    const JsonValue object = parse_json(*text);
    if (!object.is_object()) return Error{ErrorCode::bad_file, "is no JSON object as a recorder writes it"};
    return AboutReader(object).read();
}

}  // namespace snapviewer
