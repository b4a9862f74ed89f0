#include "core/sqlite/guarded_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sqlite/plain_function.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {
namespace {

using Values = std::span<sqlite3_value*>;

/// Steps of about a nanosecond that a call may make beyond one pass over what it is given.
constexpr std::uint64_t k_most_steps = std::uint64_t{1} << 28;
/// SQLite goes one call deeper for each name in a path.
constexpr std::size_t k_longest_path_bytes = 10'000;

constexpr std::uint64_t k_steps_a_key = 4;  // to tell it from another
constexpr std::uint64_t k_moved_bytes_a_step = 16;

std::string_view bytes_of(sqlite3_value* value) {
    const bool is_blob = sqlite3_value_type(value) == SQLITE_BLOB;
    const void* bytes = is_blob ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

/// Each path is looked up from the start.
bool are_paths_within(Values values) {
    if (values.size() < 2) return true;
    std::uint64_t size = 0;
    for (sqlite3_value* value : values) size += bytes_of(value).size();
    return size * (values.size() - 1) <= k_most_steps;
}

/// After the JSON itself stand paths, or paths with a value each.
bool has_long_path(Values values, bool has_pairs) {
    for (std::size_t i = 1; i < values.size(); i += has_pairs ? 2 : 1) {
        if (bytes_of(values[i]).size() > k_longest_path_bytes) return true;
    }
    return false;
}

/// Each key of the patch is looked for among those of the target, and makes room there. A blob has no colons; its keys have
/// two bytes at least.
bool is_patch_within(Values values) {
    const auto keys = [](sqlite3_value* value) -> std::uint64_t {
        const std::string_view bytes = bytes_of(value);
        if (sqlite3_value_type(value) == SQLITE_BLOB) return bytes.size() / 2;
        return static_cast<std::uint64_t>(std::ranges::count(bytes, ':'));
    };
    if (values.size() != 2) return true;
    const std::uint64_t each = keys(values[0]) * k_steps_a_key + bytes_of(values[0]).size() / k_moved_bytes_a_step;
    return keys(values[1]) * each <= k_most_steps;
}

/// Each character that is no digit is looked for among those to leave out.
bool is_unhex_within(Values values) {
    return values.size() != 2 || bytes_of(values[0]).size() * bytes_of(values[1]).size() <= k_most_steps;
}

struct Guarded {
    std::string_view name;
    int arguments;
    bool (*is_within)(Values);
    bool has_paths = false;
    bool takes_json = false;  ///< as values, one after each path
};

constexpr std::array k_guarded = {
    Guarded{"json_array_insert", -1, are_paths_within, true, true},
    Guarded{"json_extract", -1, are_paths_within, true},
    Guarded{"json_insert", -1, are_paths_within, true, true},
    Guarded{"json_patch", 2, is_patch_within},
    Guarded{"json_remove", -1, are_paths_within, true},
    Guarded{"json_replace", -1, are_paths_within, true, true},
    Guarded{"json_set", -1, are_paths_within, true, true},
    Guarded{"jsonb_array_insert", -1, are_paths_within, true, true},
    Guarded{"jsonb_extract", -1, are_paths_within, true},
    Guarded{"jsonb_insert", -1, are_paths_within, true, true},
    Guarded{"jsonb_patch", 2, is_patch_within},
    Guarded{"jsonb_remove", -1, are_paths_within, true},
    Guarded{"jsonb_replace", -1, are_paths_within, true, true},
    Guarded{"jsonb_set", -1, are_paths_within, true, true},
    Guarded{"unhex", 2, is_unhex_within},
};

/// Those that this SQLite has.
const std::vector<Guarded>& guarded_here() {
    static const std::vector<Guarded> here = [] {
        sqlite3* opened = nullptr;
        sqlite3_open(":memory:", &opened);
        const SqliteConnection connection(opened);
        std::vector<Guarded> found;
        for (const Guarded& guarded : k_guarded) {
            sqlite3_stmt* made = nullptr;
            const std::string sql = fmt::format("SELECT {}({})", guarded.name, guarded.arguments == 2 ? "1,2" : "1,2,3");
            const int status = sqlite3_prepare_v2(opened, sql.c_str(), -1, &made, nullptr);
            if (const SqliteStatement statement(made); status == SQLITE_OK) found.push_back(guarded);
        }
        return found;
    }();
    return here;
}

struct GuardedFunction {
    const Guarded& guarded;
    PlainFunction plain{std::string(guarded.name)};
};

void call_guarded(sqlite3_context* context, int count, sqlite3_value** given) {
    auto& function = *static_cast<GuardedFunction*>(sqlite3_user_data(context));
    const Guarded& guarded = function.guarded;
    const Values values(given, static_cast<std::size_t>(count));
    const bool is_long = guarded.has_paths && has_long_path(values, guarded.takes_json);
    if (is_long || !guarded.is_within(values)) {
        const std::string message = fmt::format("{}() would take too long: the {}", guarded.name,
                                                is_long ? "path is too long" : "arguments are too long");
        return sqlite3_result_error(context, message.c_str(), static_cast<int>(message.size()));
    }
    function.plain.answer(context, values, guarded.takes_json);
}

int flags() {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE;
#ifdef SQLITE_RESULT_SUBTYPE
    flags |= SQLITE_RESULT_SUBTYPE;
#endif
    return flags;
}

}  // namespace

int create_guarded_functions(sqlite3* connection) {
    for (const Guarded& guarded : guarded_here()) {
        // SQLite deletes it, also where it cannot make the function.
        const int status =
            sqlite3_create_function_v2(connection, std::string(guarded.name).c_str(), guarded.arguments, flags(),
                                       new GuardedFunction{guarded}, sqlite_callback<call_guarded>, nullptr, nullptr,
                                       [](void* function) { delete static_cast<GuardedFunction*>(function); });
        if (status != SQLITE_OK) return status;
    }
    return SQLITE_OK;
}

}  // namespace snapviewer
