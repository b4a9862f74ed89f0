#include "core/timeline/search.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/trace/annotations.h"
#include "core/trace/segments.h"
#include "core/trace/stack_table.h"

namespace snapviewer {
namespace {

std::string why_not(const re2::RE2& compiled) {
    switch (compiled.error_code()) {
        case re2::RE2::ErrorRepeatSize:
        case re2::RE2::ErrorPatternTooLarge: return "repeats too many times";
        default: return "is not a regular expression: " + compiled.error();
    }
}

/// Implements contains_pattern(). Precondition: both texts are in lower case.
bool contains_in_order(std::string_view text, std::string_view pattern) {
    std::size_t from = 0;
    while (true) {
        const std::size_t end = pattern.find('%');
        const std::string_view part = pattern.substr(0, end);
        const std::size_t found = text.find(part, from);
        if (found == text.npos) return false;
        if (end == pattern.npos) return true;
        from = found + part.size();
        pattern.remove_prefix(end + 1);
    }
}

/// Returns a flag for each stack: true if `is_meant` is true for one of its frames. Calls `is_meant` once for each frame.
template <typename Meant>
std::vector<bool> stacks_with_frame(const Snapshot& snapshot, Meant is_meant) {
    const StackTable& stacks = snapshot.stacks;
    std::vector<bool> frames(stacks.frame_count());
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        check_stop();
        frames[i] = is_meant(stacks.frame(FrameId{i}));
    }
    std::vector<bool> found(stacks.stack_count());
    for (std::uint32_t i = 0; i < found.size(); ++i)
        found[i] = std::ranges::any_of(stacks.stack(StackId{i}), [&](FrameId frame) { return frames[frame.value]; });
    return found;
}

/// Returns a flag for each metadata entry: true if its text contains the pattern. Checks each text once, even if many
/// entries share it.
std::vector<bool> matching_metadata(const Snapshot& snapshot, std::string_view pattern) {
    std::unordered_map<std::uint32_t, bool> known;
    std::vector<bool> matches;
    matches.reserve(snapshot.metadata.size());
    for (const EventMetadata& metadata : snapshot.metadata) {
        const auto [text, is_new] = known.try_emplace(metadata.user_metadata.value);
        if (is_new) text->second = contains_in_order(lower_case(snapshot.strings.view(metadata.user_metadata)), pattern);
        matches.push_back(text->second);
    }
    return matches;
}

template <typename Key>
bool is_marked(const std::vector<bool>& marks, Key id) {
    return id.is_some() && marks[id.value];
}

}  // namespace

Result<Expression> Expression::compile(std::string_view text, Letters letters) {
    if (text.size() > k_max_pattern_bytes)
        return Error{ErrorCode::bad_query, "is longer than " + std::to_string(k_max_pattern_bytes) + " characters"};
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(letters == Letters::exact);
    auto compiled = std::make_shared<const re2::RE2>(std::string(text), options);
    if (!compiled->ok()) return Error{ErrorCode::bad_query, why_not(*compiled)};
    if (compiled->ProgramSize() > k_max_instructions) return Error{ErrorCode::bad_query, "repeats too many times"};
    return Expression(std::move(compiled));
}

bool Expression::is_too_expensive_for(std::string_view text) const {
    return text.size() > k_max_work / static_cast<std::size_t>(compiled_->ProgramSize());
}

bool Expression::is_in(std::string_view text) const {
    return !is_too_expensive_for(text) && re2::RE2::PartialMatch({text.data(), text.size()}, *compiled_);
}

namespace {

constexpr std::uint64_t k_max_number = std::numeric_limits<std::uint64_t>::max();

using NamedUnit = std::pair<std::string_view, std::uint64_t>;

constexpr std::array k_duration_units = {NamedUnit{"us", 1}, NamedUnit{"ms", 1000}, NamedUnit{"s", 1'000'000},
                                         NamedUnit{"min", 60'000'000}};

std::string_view trim_blanks(std::string_view text) {
    constexpr std::string_view k_blanks = " \t";
    const std::size_t begin = text.find_first_not_of(k_blanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(k_blanks) - begin + 1);
}

std::optional<std::uint64_t> unit_of(std::string_view name, Measure measure) {
    const std::string lower = lower_case(name);
    if (lower.empty()) return 1;
    if (measure == Measure::count) return std::nullopt;
    if (measure == Measure::duration) {
        const auto found = std::ranges::find(k_duration_units, lower, &NamedUnit::first);
        return found == k_duration_units.end() ? std::nullopt : std::optional(found->second);
    }
    if (lower == "b") return 1;
    const std::size_t power = std::string_view("kmgt").find(lower.front());
    const std::string_view rest = std::string_view(lower).substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) return std::nullopt;
    return std::uint64_t{1} << 10 * (power + 1);
}

/// A parsed number, rounded down and rounded up to integers; both are equal if it is an integer.
struct RoundedNumber {
    std::uint64_t floor = 0, ceiling = 0;
};

std::optional<RoundedNumber> parse_value(std::string_view text, Measure measure) {
    text = trim_blanks(text);
    if (measure == Measure::count && (text.starts_with("0x") || text.starts_with("0X"))) {
        const auto whole = parse_number<std::uint64_t>(text.substr(2), 16);
        return whole ? std::optional(RoundedNumber{*whole, *whole}) : std::nullopt;
    }
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::optional<std::uint64_t> unit = unit_of(trim_blanks(text.substr(digits)), measure);
    if (!unit) return std::nullopt;
    // Integers are parsed as integers, because an address has more digits than a double can hold.
    const auto whole = parse_number<std::uint64_t>(text.substr(0, digits));
    if (whole && *whole <= k_max_number / *unit) return RoundedNumber{*whole * *unit, *whole * *unit};
    const auto real = parse_number<double>(text.substr(0, digits));
    if (!real) return std::nullopt;
    const double number = *real * static_cast<double>(*unit);
    constexpr double k_beyond = 18446744073709551616.0;  // 2^64
    if (std::ceil(number) >= k_beyond) return std::nullopt;
    return RoundedNumber{static_cast<std::uint64_t>(std::floor(number)), static_cast<std::uint64_t>(std::ceil(number))};
}

constexpr NumberRange k_no_number{1, 0};

NumberRange above(std::uint64_t number) {
    return number == k_max_number ? k_no_number : NumberRange{number + 1, k_max_number};
}
NumberRange below(std::uint64_t number) { return number == 0 ? k_no_number : NumberRange{0, number - 1}; }

}  // namespace

std::optional<NumberRange> parse_number_range(std::string_view text, Measure measure) {
    text = trim_blanks(text);
    const auto value_after = [&](std::size_t length) { return parse_value(text.substr(length), measure); };
    const auto range = [](const std::optional<RoundedNumber>& value, auto make) {
        return value ? std::optional<NumberRange>(make(*value)) : std::nullopt;
    };
    if (text.starts_with(">="))
        return range(value_after(2), [](RoundedNumber value) { return NumberRange{value.ceiling, k_max_number}; });
    if (text.starts_with("<="))
        return range(value_after(2), [](RoundedNumber value) { return NumberRange{0, value.floor}; });
    if (text.starts_with(">")) return range(value_after(1), [](RoundedNumber value) { return above(value.floor); });
    if (text.starts_with("<")) return range(value_after(1), [](RoundedNumber value) { return below(value.ceiling); });
    const auto exactly = [](RoundedNumber value) { return NumberRange{value.ceiling, value.floor}; };
    if (text.starts_with("=")) return range(value_after(1), exactly);
    const std::size_t dots = text.find("..");
    if (dots == text.npos) return range(value_after(0), exactly);
    const std::optional<RoundedNumber> low = parse_value(text.substr(0, dots), measure);
    const std::optional<RoundedNumber> high = parse_value(text.substr(dots + 2), measure);
    if (!low || !high) return std::nullopt;
    return NumberRange{low->ceiling, high->floor};
}

bool contains_pattern(std::string_view text, std::string_view pattern) {
    return contains_in_order(lower_case(text), lower_case(pattern));
}

Emphasis find_text(const Timeline& timeline, std::string_view text) {
    const Snapshot& snapshot = timeline.snapshot();
    const DeviceTrace& trace = timeline.trace();
    const AllocationColumns& allocations = trace.allocations;
    const std::string pattern = lower_case(trimmed(text));
    if (pattern.empty()) return Emphasis(allocations.size());

    const std::vector<bool> stacks = stacks_with_frame(snapshot, [&](const Frame& frame) {
        return contains_in_order(lower_case(frame_text(snapshot.strings, frame)), pattern);
    });
    const std::vector<bool> metadata = matching_metadata(snapshot, pattern);
    const std::optional<std::uint64_t> address = parse_address(pattern);
    const auto has_metadata = [&](AllocationId id) {
        const auto is_found = [&](const AllocationNote& note) {
            return is_marked(metadata, trace.events.metadata[note.event.value]);
        };
        return is_marked(metadata, metadata_of(trace, id)) || std::ranges::any_of(notes_of(trace, id), is_found);
    };
    // Files without addresses have 0 everywhere, which must not match small numbers.
    const auto holds_address = [&](AllocationId id) {
        const std::uint64_t begin = allocations.address[id.value];
        return begin != 0 && *address >= begin &&
               *address - begin < std::max<std::uint64_t>(allocations.size_bytes[id.value], 1);
    };
    return Emphasis::where(allocations.size(), [&](AllocationId id) {
        return is_marked(stacks, allocations.stack[id.value]) || (!metadata.empty() && has_metadata(id)) ||
               (address && holds_address(id));
    });
}

namespace {

using TermKind = SearchTerm::Kind;

constexpr std::string_view k_term_blanks = " \t\r\n";
/// Maximum number of words in a number: "1 MiB .. 2 MiB" has five, and no number with a comparison sign has more.
constexpr int k_max_number_words = 5;

struct TermKey {
    std::string_view word;
    TermKind kind;
    bool is_text;
};
constexpr std::array k_term_keys = {
    TermKey{"function", TermKind::function, true}, TermKey{"file", TermKind::file, true},
    TermKey{"re", TermKind::expression, true},     TermKey{"address", TermKind::address, false},
    TermKey{"size", TermKind::size, false},        TermKey{"stream", TermKind::stream, false},
    TermKey{"age", TermKind::age_steps, false},
};

bool is_comparison(char c) { return c == '<' || c == '>' || c == '='; }

Measure measure_of(TermKind kind) {
    switch (kind) {
        case TermKind::size: return Measure::bytes;
        case TermKind::age_time: return Measure::duration;
        default: return Measure::count;
    }
}

/// Parses a search from left to right.
class SearchReader {
public:
    explicit SearchReader(std::string_view text) : rest_(text) {}

    Result<std::vector<SearchTerm>> read() {
        while (skip_blanks()) {
            if (const TermKey* key = key_here()) {
                const Status status = key->is_text ? read_text(*key) : read_number(*key);
                if (!status) return status.error();
            } else if (!read_bare_size()) {
                take_word();
            }
        }
        if (!words_.empty()) terms_.push_back({TermKind::text, words_, {}});
        return std::move(terms_);
    }

private:
    /// Skips blanks and remembers them in `gap_`. Returns false at the end of the text.
    bool skip_blanks() {
        const std::size_t begin = rest_.find_first_not_of(k_term_blanks);
        if (begin == rest_.npos) return false;
        gap_ = rest_.substr(0, begin);
        rest_.remove_prefix(begin);
        return true;
    }
    std::size_t word_length() const { return std::min(rest_.find_first_of(k_term_blanks), rest_.size()); }

    void take_word() {
        const std::size_t length = word_length();
        if (!words_.empty()) words_ += is_after_word_ ? std::string(gap_) : " ";
        words_ += rest_.substr(0, length);
        is_after_word_ = true;
        rest_.remove_prefix(length);
    }

    /// The key at the current position, or null. A key is followed by a colon or, if its value is a number, by a comparison
    /// sign, with or without blanks between.
    const TermKey* key_here() const {
        for (const TermKey& key : k_term_keys) {
            if (!rest_.starts_with(key.word)) continue;
            const std::string_view after = rest_.substr(key.word.size());
            if (after.starts_with(':')) return &key;
            const std::size_t sign = after.find_first_not_of(k_term_blanks);
            if (!key.is_text && sign != after.npos && is_comparison(after[sign])) return &key;
        }
        return nullptr;
    }

    Status read_text(const TermKey& key) {
        rest_.remove_prefix(key.word.size() + 1);
        std::string value;
        if (rest_.starts_with('"')) {
            const std::size_t end = std::min(rest_.find('"', 1), rest_.size());
            value = rest_.substr(1, end - 1);
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
        } else {
            value = rest_.substr(0, word_length());
            rest_.remove_prefix(word_length());
        }
        is_after_word_ = false;
        if (value.empty()) return wrong(std::string(key.word) + ": needs a text after the colon");
        if (key.kind == TermKind::expression) {
            if (const auto compiled = Expression::compile(value, Expression::Letters::ignore_case); !compiled)
                return wrong("'" + value + "' " + compiled.error().message);
        }
        terms_.push_back({key.kind, std::move(value), {}});
        return {};
    }

    Status read_number(const TermKey& key) {
        rest_.remove_prefix(key.word.size());
        if (rest_.starts_with(':')) rest_.remove_prefix(1);
        if (take_range(key.kind)) return {};
        switch (key.kind) {
            case TermKind::size: return wrong("size needs a number, such as size > 100 MiB or size:1MiB..2MiB");
            case TermKind::age_steps: return wrong("age needs a number of steps or a time, such as age > 100 or age < 5 ms");
            case TermKind::stream: return wrong("stream needs a number, such as stream:3");
            default: return wrong("address needs a number, such as address:0x7f4c00000000");
        }
    }

    bool read_bare_size() {
        const bool is_range = rest_.substr(0, word_length()).find("..") != rest_.npos;
        return (is_comparison(rest_.front()) || is_range) && take_range(TermKind::size);
    }

    /// Parses the longest number or range at the current position and adds it as a term. Returns false if there is none. An
    /// age without a unit is in steps.
    bool take_range(TermKind kind) {
        std::array<std::size_t, k_max_number_words> ends{};
        std::size_t count = 0;
        for (std::size_t at = rest_.find_first_not_of(k_term_blanks); at != rest_.npos && count < ends.size();) {
            at = std::min(rest_.find_first_of(k_term_blanks, at), rest_.size());
            ends[count++] = at;
            at = rest_.find_first_not_of(k_term_blanks, at);
        }
        while (count > 0) {
            const std::size_t end = ends[--count];
            auto range = parse_number_range(rest_.substr(0, end), measure_of(kind));
            const bool is_time = !range && kind == TermKind::age_steps;
            if (is_time) range = parse_number_range(rest_.substr(0, end), Measure::duration);
            if (!range) continue;
            terms_.push_back({is_time ? TermKind::age_time : kind, {}, *range});
            rest_.remove_prefix(end);
            is_after_word_ = false;
            return true;
        }
        return false;
    }

    static Error wrong(std::string sentence) { return {ErrorCode::bad_query, std::move(sentence)}; }

    std::string_view rest_;
    std::string_view gap_;  ///< blanks before `rest_`
    bool is_after_word_ = false;
    std::string words_;
    std::vector<SearchTerm> terms_;
};

using Chosen = std::function<bool(AllocationId)>;

/// Returns a predicate that is true for allocations with a frame for which `is_meant` is true.
template <typename Meant>
Chosen with_frame(const Timeline& timeline, Meant is_meant) {
    const std::vector<StackId>& stacks = timeline.trace().allocations.stack;
    return [found = stacks_with_frame(timeline.snapshot(), is_meant), &stacks](AllocationId id) {
        return is_marked(found, stacks[id.value]);
    };
}

bool is_at(const AllocationColumns& allocations, AllocationId id, const NumberRange& range) {
    const std::uint64_t begin = allocations.address[id.value];
    if (begin == 0) return false;  // a file without addresses has 0 everywhere
    if (range.low != range.high) return range.contains(begin);
    return range.low >= begin && range.low - begin < std::max<std::uint64_t>(allocations.size_bytes[id.value], 1);
}

std::optional<std::uint64_t> lived_us(const DeviceTrace& trace, AllocationId id) {
    const EventId alloc = trace.allocations.alloc_event[id.value];
    const EventId free = trace.allocations.free_event[id.value];
    if (!alloc.is_some() || !free.is_some()) return std::nullopt;
    const std::int64_t begin = trace.events.time_us[alloc.value];
    const std::int64_t end = trace.events.time_us[free.value];
    if (begin == k_no_time || end == k_no_time || end < begin) return std::nullopt;
    return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
}

Chosen chosen_by(const Timeline& timeline, const SearchTerm& term) {
    const Snapshot& snapshot = timeline.snapshot();
    const AllocationColumns& allocations = timeline.trace().allocations;
    const NumberRange range = term.range;
    switch (term.kind) {
        case TermKind::text: return [found = find_text(timeline, term.text)](AllocationId id) { return found.contains(id); };
        case TermKind::function:
            return with_frame(timeline, [&](const Frame& frame) {
                return frame.function.is_some() && contains_pattern(snapshot.strings.view(frame.function), term.text);
            });
        case TermKind::file:
            return with_frame(timeline, [&](const Frame& frame) {
                return frame.file.is_some() && contains_pattern(snapshot.strings.view(frame.file), term.text);
            });
        case TermKind::expression: {
            const Result<Expression> expression = Expression::compile(term.text, Expression::Letters::ignore_case);
            return with_frame(timeline, [&](const Frame& frame) {
                return expression && expression->is_in(frame_text(snapshot.strings, frame));
            });
        }
        case TermKind::address: return [&allocations, range](AllocationId id) { return is_at(allocations, id, range); };
        case TermKind::size:
            return [&allocations, range](AllocationId id) { return range.contains(allocations.size_bytes[id.value]); };
        case TermKind::stream:
            return [&allocations, &snapshot, range](AllocationId id) {
                const std::uint16_t stream = allocations.stream[id.value];
                return range.contains(stream_number(snapshot, stream)) || range.contains(snapshot.streams[stream]);
            };
        case TermKind::age_steps:
            return [&timeline, range](AllocationId id) {
                return range.contains(timeline.end_step(id) - timeline.start_step(id));
            };
        case TermKind::age_time:
            return [&timeline, range](AllocationId id) {
                const std::optional<std::uint64_t> lived = lived_us(timeline.trace(), id);
                return lived && range.contains(*lived);
            };
    }
    return {};
}

}  // namespace

Result<std::vector<SearchTerm>> parse_search(std::string_view text) { return SearchReader(text).read(); }

bool is_slow(const std::vector<SearchTerm>& terms) {
    return std::ranges::any_of(terms, [](const SearchTerm& term) { return term.kind == TermKind::expression; });
}

Emphasis find_terms(const Timeline& timeline, const std::vector<SearchTerm>& terms) {
    if (terms.size() == 1 && terms.front().kind == TermKind::text) return find_text(timeline, terms.front().text);
    std::vector<Chosen> chosen;
    for (const SearchTerm& term : terms) chosen.push_back(chosen_by(timeline, term));
    if (terms.empty()) return Emphasis(timeline.allocation_count());
    return Emphasis::where(timeline.allocation_count(), [&](AllocationId id) {
        return std::ranges::all_of(chosen, [id](const Chosen& each) { return each(id); });
    });
}

}  // namespace snapviewer
