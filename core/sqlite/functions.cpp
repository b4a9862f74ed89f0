#include "core/sqlite/functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/sqlite/connection.h"
#include "core/sqlite/guarded_functions.h"
#include "core/system/memory.h"

namespace snapviewer {
namespace {

using enum FunctionVerdict;

// What is refused, and why: json_pretty indents by the depth. Those of fts, rtree and load_extension work on tables and
// files of their own; sqlite_log writes. Medians and percentiles, which are not here, sort within one call.
constexpr std::array k_functions = {
    BuiltinFunction{"->", bounded},
    BuiltinFunction{"->>", bounded},
    BuiltinFunction{"abs", bounded},
    BuiltinFunction{"acos", bounded},
    BuiltinFunction{"acosh", bounded},
    BuiltinFunction{"asin", bounded},
    BuiltinFunction{"asinh", bounded},
    BuiltinFunction{"atan", bounded},
    BuiltinFunction{"atan2", bounded},
    BuiltinFunction{"atanh", bounded},
    BuiltinFunction{"avg", bounded},
    BuiltinFunction{"bm25", refused},
    BuiltinFunction{"ceil", bounded},
    BuiltinFunction{"ceiling", bounded},
    BuiltinFunction{"changes", bounded},
    BuiltinFunction{"char", bounded},
    BuiltinFunction{"coalesce", bounded},
    BuiltinFunction{"concat", bounded},
    BuiltinFunction{"concat_ws", bounded},
    BuiltinFunction{"cos", bounded},
    BuiltinFunction{"cosh", bounded},
    BuiltinFunction{"count", bounded},
    BuiltinFunction{"cume_dist", bounded},
    BuiltinFunction{"current_date", bounded},
    BuiltinFunction{"current_time", bounded},
    BuiltinFunction{"current_timestamp", bounded},
    BuiltinFunction{"date", bounded},
    BuiltinFunction{"datetime", bounded},
    BuiltinFunction{"degrees", bounded},
    BuiltinFunction{"dense_rank", bounded},
    BuiltinFunction{"exp", bounded},
    BuiltinFunction{"first_value", bounded},
    BuiltinFunction{"floor", bounded},
    BuiltinFunction{"format", replaced},
    BuiltinFunction{"fts3_tokenizer", refused},
    BuiltinFunction{"fts5", refused},
    BuiltinFunction{"fts5_get_locale", refused},
    BuiltinFunction{"fts5_insttoken", refused},
    BuiltinFunction{"fts5_locale", refused},
    BuiltinFunction{"fts5_source_id", refused},
    BuiltinFunction{"glob", replaced},
    BuiltinFunction{"group_concat", bounded},
    BuiltinFunction{"hex", bounded},
    BuiltinFunction{"highlight", refused},
    BuiltinFunction{"if", bounded},
    BuiltinFunction{"ifnull", bounded},
    BuiltinFunction{"iif", bounded},
    BuiltinFunction{"instr", replaced},
    BuiltinFunction{"json", bounded},
    BuiltinFunction{"json_array", bounded},
    BuiltinFunction{"json_array_insert", replaced},
    BuiltinFunction{"json_array_length", bounded},
    BuiltinFunction{"json_error_position", bounded},
    BuiltinFunction{"json_extract", replaced},
    BuiltinFunction{"json_group_array", bounded},
    BuiltinFunction{"json_group_object", bounded},
    BuiltinFunction{"json_insert", replaced},
    BuiltinFunction{"json_object", bounded},
    BuiltinFunction{"json_patch", replaced},
    BuiltinFunction{"json_pretty", refused},
    BuiltinFunction{"json_quote", bounded},
    BuiltinFunction{"json_remove", replaced},
    BuiltinFunction{"json_replace", replaced},
    BuiltinFunction{"json_set", replaced},
    BuiltinFunction{"json_type", bounded},
    BuiltinFunction{"json_valid", bounded},
    BuiltinFunction{"jsonb", bounded},
    BuiltinFunction{"jsonb_array", bounded},
    BuiltinFunction{"jsonb_array_insert", replaced},
    BuiltinFunction{"jsonb_extract", replaced},
    BuiltinFunction{"jsonb_group_array", bounded},
    BuiltinFunction{"jsonb_group_object", bounded},
    BuiltinFunction{"jsonb_insert", replaced},
    BuiltinFunction{"jsonb_object", bounded},
    BuiltinFunction{"jsonb_patch", replaced},
    BuiltinFunction{"jsonb_remove", replaced},
    BuiltinFunction{"jsonb_replace", replaced},
    BuiltinFunction{"jsonb_set", replaced},
    BuiltinFunction{"julianday", bounded},
    BuiltinFunction{"lag", bounded},
    BuiltinFunction{"last_insert_rowid", bounded},
    BuiltinFunction{"last_value", bounded},
    BuiltinFunction{"lead", bounded},
    BuiltinFunction{"length", bounded},
    BuiltinFunction{"like", replaced},
    BuiltinFunction{"likelihood", bounded},
    BuiltinFunction{"likely", bounded},
    BuiltinFunction{"ln", bounded},
    BuiltinFunction{"load_extension", refused},
    BuiltinFunction{"log", bounded},
    BuiltinFunction{"log10", bounded},
    BuiltinFunction{"log2", bounded},
    BuiltinFunction{"lower", bounded},
    BuiltinFunction{"ltrim", replaced},
    BuiltinFunction{"match", refused},
    BuiltinFunction{"matchinfo", refused},
    BuiltinFunction{"max", bounded},
    BuiltinFunction{"min", bounded},
    BuiltinFunction{"mod", bounded},
    BuiltinFunction{"nth_value", bounded},
    BuiltinFunction{"ntile", bounded},
    BuiltinFunction{"nullif", bounded},
    BuiltinFunction{"octet_length", bounded},
    BuiltinFunction{"offsets", refused},
    BuiltinFunction{"optimize", refused},
    BuiltinFunction{"percent_rank", bounded},
    BuiltinFunction{"pi", bounded},
    BuiltinFunction{"pow", bounded},
    BuiltinFunction{"power", bounded},
    BuiltinFunction{"printf", replaced},
    BuiltinFunction{"quote", bounded},
    BuiltinFunction{"radians", bounded},
    BuiltinFunction{"random", bounded},
    BuiltinFunction{"randomblob", bounded},
    BuiltinFunction{"rank", bounded},
    BuiltinFunction{"replace", replaced},
    BuiltinFunction{"round", bounded},
    BuiltinFunction{"row_number", bounded},
    BuiltinFunction{"rtreecheck", refused},
    BuiltinFunction{"rtreedepth", refused},
    BuiltinFunction{"rtreenode", refused},
    BuiltinFunction{"rtrim", replaced},
    BuiltinFunction{"sign", bounded},
    BuiltinFunction{"sin", bounded},
    BuiltinFunction{"sinh", bounded},
    BuiltinFunction{"snippet", refused},
    BuiltinFunction{"soundex", bounded},
    BuiltinFunction{"sqlite_compileoption_get", bounded},
    BuiltinFunction{"sqlite_compileoption_used", bounded},
    BuiltinFunction{"sqlite_log", refused},
    BuiltinFunction{"sqlite_offset", refused},
    BuiltinFunction{"sqlite_source_id", bounded},
    BuiltinFunction{"sqlite_version", bounded},
    BuiltinFunction{"sqrt", bounded},
    BuiltinFunction{"strftime", bounded},
    BuiltinFunction{"string_agg", bounded},
    BuiltinFunction{"substr", bounded},
    BuiltinFunction{"substring", bounded},
    BuiltinFunction{"subtype", bounded},
    BuiltinFunction{"sum", bounded},
    BuiltinFunction{"tan", bounded},
    BuiltinFunction{"tanh", bounded},
    BuiltinFunction{"time", bounded},
    BuiltinFunction{"timediff", bounded},
    BuiltinFunction{"total", bounded},
    BuiltinFunction{"total_changes", bounded},
    BuiltinFunction{"trim", replaced},
    BuiltinFunction{"trunc", bounded},
    BuiltinFunction{"typeof", bounded},
    BuiltinFunction{"unhex", replaced},
    BuiltinFunction{"unicode", bounded},
    BuiltinFunction{"unistr", bounded},
    BuiltinFunction{"unistr_quote", bounded},
    BuiltinFunction{"unixepoch", bounded},
    BuiltinFunction{"unlikely", bounded},
    BuiltinFunction{"upper", bounded},
    BuiltinFunction{"zeroblob", bounded},
};
static_assert(std::ranges::is_sorted(k_functions, {}, &BuiltinFunction::name));

int refuse(void*, int action, const char*, const char* function, const char*, const char*) {
    return action != SQLITE_FUNCTION || may_call(function) ? SQLITE_OK : SQLITE_DENY;
}

}  // namespace

std::span<const BuiltinFunction> builtin_functions() { return k_functions; }

bool may_call(std::string_view function) {
    // Without memory of its own, because SQLite's authorizer, which has no code for a lack of it, calls this.
    const auto is_less = [](std::string_view a, std::string_view b) {
        const auto lower = [](char c) { return lower_case(c); };
        return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
    };
    const auto known = std::ranges::lower_bound(k_functions, function, is_less, &BuiltinFunction::name);
    return known != k_functions.end() && !is_less(function, known->name) && known->verdict != refused;
}

void drop_foreign_modules(sqlite3* connection) {
    static constexpr std::array<const char*, 5> k_kept = {"json_each", "json_tree", "jsonb_each", "jsonb_tree", nullptr};
    // SQLite reads the list and does not change it.
    sqlite3_drop_modules(connection, const_cast<const char**>(k_kept.data()));
}

void refuse_unbounded_functions(sqlite3* connection) { sqlite3_set_authorizer(connection, refuse, nullptr); }

namespace {

constexpr std::size_t k_steps_between_checks = std::size_t{1} << 16;
/// Below it, SQLite's own matching is done before anybody could notice.
constexpr std::size_t k_small_product = std::size_t{1} << 22;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Length in bytes of the character that begins at `at`: as SQLite counts, also where a text is no proper UTF-8.
std::size_t character_bytes(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    if (static_cast<unsigned char>(text[at]) < 0xC0) return 1;
    while (end < text.size() && is_continuation(text[end])) ++end;
    return end - at;
}

std::string_view character(std::string_view text, std::size_t at) { return text.substr(at, character_bytes(text, at)); }

bool is_same(std::string_view a, std::string_view b, bool ignores_case) {
    if (!ignores_case || a.size() != 1 || b.size() != 1) return a == b;
    return lower_case(a[0]) == lower_case(b[0]);
}

/// What one character of a pattern asks for, and where the next begins.
struct Element {
    enum class Kind : std::uint8_t { one, any, run, set, never } kind = Kind::one;
    std::string_view text = {};  ///< of one: the character; of set: what stands between the brackets
    std::size_t next = 0;
};

struct LikeSyntax {
    std::string escape;

    static constexpr bool k_ignores_case = true;
    Element element(std::string_view pattern, std::size_t at) const {
        std::string_view it = character(pattern, at);
        if (!escape.empty() && it == escape) {
            at += it.size();
            if (at == pattern.size()) return {Element::Kind::never, {}, at};
            it = character(pattern, at);
            return {Element::Kind::one, it, at + it.size()};
        }
        const auto kind = it == "%" ? Element::Kind::run : it == "_" ? Element::Kind::any : Element::Kind::one;
        return {kind, it, at + it.size()};
    }
};

struct GlobSyntax {
    static constexpr bool k_ignores_case = false;
    Element element(std::string_view pattern, std::size_t at) const {
        const std::string_view it = character(pattern, at);
        if (it == "*") return {Element::Kind::run, it, at + 1};
        if (it == "?") return {Element::Kind::any, it, at + 1};
        if (it != "[") return {Element::Kind::one, it, at + it.size()};
        std::size_t end = at + 1;
        if (end < pattern.size() && pattern[end] == '^') ++end;
        if (end < pattern.size() && pattern[end] == ']') ++end;  // first in the set, it stands for itself
        end = pattern.find(']', end);
        if (end == std::string_view::npos) return {Element::Kind::never, {}, pattern.size()};
        return {Element::Kind::set, pattern.substr(at + 1, end - at - 1), end + 1};
    }
};

/// Whether a set of GLOB, "^a-cx" for example, holds a character. Code points order as their bytes in UTF-8 do.
bool is_in_set(std::string_view wanted, std::string_view set) {
    const bool is_inverted = set.starts_with('^');
    if (is_inverted) set.remove_prefix(1);
    bool is_found = false;
    std::string_view before;
    for (std::size_t at = 0; at < set.size();) {
        const std::string_view it = character(set, at);
        const std::size_t after = at + it.size();
        if (it == "-" && !before.empty() && after < set.size()) {
            const std::string_view last = character(set, after);
            is_found = is_found || (wanted >= before && wanted <= last);
            before = {};
            at = after + last.size();
            continue;
        }
        is_found = is_found || it == wanted;
        before = it;
        at = after;
    }
    return is_found != is_inverted;
}

/// After a run it is enough to come back to the last one: what stood before it has found its first place.
template <class Syntax>
bool matches(std::string_view text, std::string_view pattern, const Syntax& syntax, SqliteControl& control) {
    std::size_t at = 0;
    std::size_t pattern_at = 0;
    std::optional<std::size_t> after_run;
    std::size_t run_end = 0;
    for (std::size_t steps = 1;; ++steps) {
        if (steps % k_steps_between_checks == 0 && control.must_end()) return false;
        if (pattern_at == pattern.size() && at == text.size()) return true;
        bool goes_on = false;
        if (pattern_at < pattern.size()) {
            const Element element = syntax.element(pattern, pattern_at);
            if (element.kind == Element::Kind::run) {
                after_run = pattern_at = element.next;
                run_end = at;
                continue;
            }
            const std::string_view it = at < text.size() ? character(text, at) : std::string_view();
            goes_on =
                !it.empty() && (element.kind == Element::Kind::any ||
                                (element.kind == Element::Kind::one && is_same(it, element.text, Syntax::k_ignores_case)) ||
                                (element.kind == Element::Kind::set && is_in_set(it, element.text)));
            if (goes_on) {
                at += it.size();
                pattern_at = element.next;
            }
        }
        if (goes_on) continue;
        if (!after_run || run_end == text.size()) return false;
        run_end += character_bytes(text, run_end);
        at = run_end;
        pattern_at = *after_run;
    }
}

// --- SQLite's side: arguments and results ---

SqliteControl& control_of(sqlite3_context* context) { return *static_cast<SqliteControl*>(sqlite3_user_data(context)); }

bool has_null(int count, sqlite3_value** values) {
    return std::any_of(values, values + count,
                       [](sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; });
}

std::string_view bytes_of(sqlite3_value* value, bool as_blob) {
    const void* bytes = as_blob ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

/// Matching ends at a zero byte, as it does in SQLite.
std::string_view until_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

/// What every function does first; false if the query has to end.
bool may_go_on(sqlite3_context* context) {
    if (!control_of(context).must_end()) return true;
    sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    return false;
}

std::size_t first_place(std::string_view text, std::string_view wanted, std::size_t from) {
    const std::size_t place = find_text(text.substr(from), wanted);
    return place == std::string_view::npos ? place : from + place;
}

void call_instr(sqlite3_context* context, int count, sqlite3_value** values) {
    if (has_null(count, values) || !may_go_on(context)) return;
    const bool as_blob = sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
    const std::string_view text = bytes_of(values[0], as_blob);
    const std::string_view wanted = bytes_of(values[1], as_blob);
    const std::size_t place = wanted.empty() ? 0 : first_place(text, wanted, 0);
    if (place == std::string_view::npos) return sqlite3_result_int(context, 0);
    const std::string_view before = text.substr(0, place);
    const auto skipped = as_blob ? 0 : std::count_if(before.begin(), before.end(), is_continuation);
    sqlite3_result_int64(context, static_cast<std::int64_t>(place) - skipped + 1);
}

void call_replace(sqlite3_context* context, int count, sqlite3_value** values) {
    if (has_null(count, values) || !may_go_on(context)) return;
    const std::string_view text = bytes_of(values[0], false);
    const std::string_view wanted = bytes_of(values[1], false);
    const std::string_view instead = bytes_of(values[2], false);
    if (wanted.empty()) return sqlite3_result_value(context, values[0]);
    const auto most = static_cast<std::size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
    std::string result;
    std::size_t at = 0;
    for (std::size_t steps = 1;; ++steps) {
        if (steps % k_steps_between_checks == 0 && !may_go_on(context)) return;
        const std::size_t place = first_place(text, wanted, at);
        result += text.substr(at, place == std::string_view::npos ? place : place - at);
        if (place == std::string_view::npos) break;
        result += instead;
        if (result.size() > most) return sqlite3_result_error_toobig(context);
        at = place + wanted.size();
    }
    sqlite3_result_text64(context, result.data(), result.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::vector<std::string_view> characters_sorted(std::string_view text) {
    std::vector<std::string_view> characters;
    for (std::size_t at = 0; at < text.size(); at += characters.back().size()) characters.push_back(character(text, at));
    std::sort(characters.begin(), characters.end());
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
    return characters;
}

template <bool at_begin, bool at_end>
void call_trim(sqlite3_context* context, int count, sqlite3_value** values) {
    if (has_null(count, values) || !may_go_on(context)) return;
    std::string_view text = bytes_of(values[0], false);
    const std::vector<std::string_view> wanted =
        characters_sorted(count == 1 ? std::string_view(" ") : bytes_of(values[1], false));
    const auto goes = [&wanted](std::string_view it) { return std::binary_search(wanted.begin(), wanted.end(), it); };
    while (at_begin && !text.empty() && goes(character(text, 0))) text.remove_prefix(character_bytes(text, 0));
    while (at_end && !text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && is_continuation(text[last])) --last;
        if (!goes(text.substr(last))) break;
        text.remove_suffix(text.size() - last);
    }
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void give_match(sqlite3_context* context, bool is_match) {
    if (may_go_on(context)) sqlite3_result_int(context, is_match ? 1 : 0);
}

/// The one character that stands before those to be taken as they are; none if the argument is not one character.
std::optional<char32_t> escape_of(std::string_view text) {
    if (text.empty() || character_bytes(text, 0) != text.size()) return std::nullopt;
    const auto first = static_cast<unsigned char>(text[0]);
    char32_t code = first < 0xC0 ? first : first & (0x7FU >> text.size());
    for (const char c : text.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

bool is_too_long(sqlite3_context* context, std::string_view pattern) {
    sqlite3* connection = sqlite3_context_db_handle(context);
    const int most = sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
    if (pattern.size() <= static_cast<std::size_t>(most)) return false;
    sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
    return true;
}

/// Builds of SQLite differ in whether a blob is ever like anything.
bool is_unlike_blob(sqlite3_value** values) {
    static const bool reads_no_blobs = sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") != 0;
    return reads_no_blobs && (sqlite3_value_type(values[0]) == SQLITE_BLOB || sqlite3_value_type(values[1]) == SQLITE_BLOB);
}

void call_like(sqlite3_context* context, int count, sqlite3_value** values) {
    if (is_unlike_blob(values)) return sqlite3_result_int(context, 0);
    if (has_null(count, values) || !may_go_on(context)) return;
    const std::string_view pattern = bytes_of(values[0], false);
    if (is_too_long(context, pattern)) return;
    const std::optional<char32_t> escape = count == 3 ? escape_of(bytes_of(values[2], false)) : char32_t{0};
    if (!escape) return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    give_match(context, is_like(bytes_of(values[1], false), pattern, *escape, control_of(context)));
}

void call_glob(sqlite3_context* context, int count, sqlite3_value** values) {
    if (is_unlike_blob(values)) return sqlite3_result_int(context, 0);
    if (has_null(count, values) || !may_go_on(context)) return;
    const std::string_view pattern = bytes_of(values[0], false);
    if (is_too_long(context, pattern)) return;
    give_match(context, is_glob(bytes_of(values[1], false), pattern, control_of(context)));
}

std::string utf8(char32_t code) {
    const auto byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
    if (code < 0x80) return code == 0 ? std::string() : std::string(1, byte(code));
    if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
    if (code < 0x10000) return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
    return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
            byte(0x80 | (code & 0x3F))};
}

}  // namespace

bool is_like(std::string_view text, std::string_view pattern, char32_t escape, SqliteControl& control) {
    text = until_zero(text);
    pattern = until_zero(pattern);
    if (text.size() * pattern.size() <= k_small_product) {
        return sqlite3_strlike(std::string(pattern).c_str(), std::string(text).c_str(), static_cast<unsigned>(escape)) == 0;
    }
    return matches(text, pattern, LikeSyntax{utf8(escape)}, control);
}

bool is_glob(std::string_view text, std::string_view pattern, SqliteControl& control) {
    text = until_zero(text);
    pattern = until_zero(pattern);
    if (text.size() * pattern.size() <= k_small_product)
        return sqlite3_strglob(std::string(pattern).c_str(), std::string(text).c_str()) == 0;
    return matches(text, pattern, GlobSyntax{}, control);
}

int create_bounded_functions(sqlite3* connection, SqliteControl& control) {
    struct Function {
        const char* name;
        int arguments;
        void (*call)(sqlite3_context*, int, sqlite3_value**);
    };
    constexpr std::array k_bounded = {
        Function{"instr", 2, sqlite_callback<call_instr>},
        Function{"replace", 3, sqlite_callback<call_replace>},
        Function{"trim", 1, sqlite_callback<call_trim<true, true>>},
        Function{"trim", 2, sqlite_callback<call_trim<true, true>>},
        Function{"ltrim", 1, sqlite_callback<call_trim<true, false>>},
        Function{"ltrim", 2, sqlite_callback<call_trim<true, false>>},
        Function{"rtrim", 1, sqlite_callback<call_trim<false, true>>},
        Function{"rtrim", 2, sqlite_callback<call_trim<false, true>>},
        Function{"like", 2, sqlite_callback<call_like>},
        Function{"like", 3, sqlite_callback<call_like>},
        Function{"glob", 2, sqlite_callback<call_glob>},
    };
    for (const Function& function : k_bounded) {
        const int status = sqlite3_create_function_v2(connection, function.name, function.arguments,
                                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, &control,
                                                      function.call, nullptr, nullptr, nullptr);
        if (status != SQLITE_OK) return status;
    }
    if (const int status = create_bounded_printf(connection); status != SQLITE_OK) return status;
    return create_guarded_functions(connection);
}

}  // namespace snapviewer
