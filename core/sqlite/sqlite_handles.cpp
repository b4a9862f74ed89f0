#include "core/sqlite/sqlite_handles.h"

#include <array>
#include <utility>

namespace snapviewer {

void set_limits(sqlite3* connection, const SqliteLimits& limits) {
    constexpr std::array k_for_all = {std::pair(SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
                                      std::pair(SQLITE_LIMIT_EXPR_DEPTH, 200),
                                      std::pair(SQLITE_LIMIT_COMPOUND_SELECT, 100),
                                      std::pair(SQLITE_LIMIT_VDBE_OP, 1 << 20),
                                      std::pair(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10'000),
                                      std::pair(SQLITE_LIMIT_ATTACHED, 0),
                                      std::pair(SQLITE_LIMIT_TRIGGER_DEPTH, 1),
                                      std::pair(SQLITE_LIMIT_WORKER_THREADS, 0)};
    for (const auto& [limit, value] : k_for_all) sqlite3_limit(connection, limit, value);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, limits.value_bytes);
    sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, limits.columns);
}

}  // namespace snapviewer
