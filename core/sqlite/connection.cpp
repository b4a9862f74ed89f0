#include "core/sqlite/connection.h"

#include <sqlite3.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

#include "core/base/context.h"
#include "core/system/memory.h"
#include "core/system/threads.h"

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

namespace {

constexpr int k_allocations_between_checks = 64;
constexpr std::int64_t k_bytes_between_checks = std::int64_t{1} << 20;

/// Returns the object of the calling thread. A WebAssembly program that is linked without threads does not support
/// thread_local, so it uses a static variable.
QueryMemory*& memory_of_this_thread() {
    static QueryMemory* alone = nullptr;
    thread_local QueryMemory* of_thread = nullptr;
    return has_threads() ? of_thread : alone;
}

int size_of(void* block) { return block == nullptr ? 0 : static_cast<int>(allocated_bytes(block)); }

/// Called for every allocation. SQLite does not call its progress handler while it reads a schema or compiles a statement,
/// but it always allocates, so refusing memory stops it there.
bool is_allowed(std::int64_t bytes) {
    QueryMemory* const memory = memory_of_this_thread();
    return memory == nullptr ? !must_stop() : memory->allows(bytes);
}

void* allocate(int bytes) { return is_allowed(bytes) ? charged_malloc(static_cast<std::size_t>(bytes)) : nullptr; }

void release(void* block) {
    if (QueryMemory* const memory = memory_of_this_thread()) memory->release(size_of(block));
    charged_free(block);
}

void* reallocate(void* block, int bytes) {
    return is_allowed(bytes - size_of(block)) ? charged_realloc(block, static_cast<std::size_t>(bytes)) : nullptr;
}

/// Installs the allocator, which is only possible before the first use of SQLite. If another part of the process uses SQLite
/// earlier, such as the sqlite3 module of Python, the memory of SQLite is not counted, and queries are only stopped between
/// two steps.
const bool is_installed = [] {
    sqlite3_mem_methods counted{};
    counted.xMalloc = allocate;
    counted.xFree = release;
    counted.xRealloc = reallocate;
    counted.xSize = size_of;
    counted.xRoundup = [](int bytes) { return (bytes + 7) & ~7; };
    counted.xInit = [](void*) { return SQLITE_OK; };
    counted.xShutdown = [](void*) {};
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) == SQLITE_OK;
}();

}  // namespace

bool counts_sqlite_memory() { return is_installed; }

QueryMemory::QueryMemory(MayContinue may_continue, void* argument) : may_continue_(may_continue), argument_(argument) {
    assert(memory_of_this_thread() == nullptr);
    memory_of_this_thread() = this;
}

QueryMemory::~QueryMemory() { memory_of_this_thread() = nullptr; }

bool QueryMemory::allows(std::int64_t bytes) {
    taken_bytes_ += bytes;
    const bool is_due =
        ++since_check_ >= k_allocations_between_checks || taken_bytes_ - checked_at_bytes_ >= k_bytes_between_checks;
    if (is_due && !has_ended_) {
        since_check_ = 0;
        checked_at_bytes_ = taken_bytes_;
        has_ended_ = !may_continue_(argument_, taken_bytes_);
    }
    if (has_ended_) taken_bytes_ -= bytes;
    return !has_ended_;
}

}  // namespace snapviewer
