#include "core/sqlite/builtin_functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"

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

}  // namespace snapviewer
