#include "core/sqlite/query_memory.h"

#include <sqlite3.h>

#include <cassert>
#include <cstdlib>

#include "core/system/threads.h"

namespace snapviewer {
namespace {

constexpr int k_allocations_between_questions = 64;
constexpr std::int64_t k_bytes_between_questions = std::int64_t{1} << 20;

/// Of the calling thread. A program for browsers that is linked without threads has no place for what is thread_local.
QueryMemory*& memory_of_this_thread() {
    static QueryMemory* alone = nullptr;
    thread_local QueryMemory* of_thread = nullptr;
    return has_threads() ? of_thread : alone;
}
/// SQLite's own way to take memory, which does the work.
sqlite3_mem_methods plain;

void* take(int bytes) {
    QueryMemory* const memory = memory_of_this_thread();
    return memory == nullptr || memory->allows(bytes) ? plain.xMalloc(bytes) : nullptr;
}

void give_back(void* block) {
    QueryMemory* const memory = memory_of_this_thread();
    if (memory != nullptr && block != nullptr) memory->gives_back(plain.xSize(block));
    plain.xFree(block);
}

void* take_again(void* block, int bytes) {
    QueryMemory* const memory = memory_of_this_thread();
    return memory == nullptr || memory->allows(bytes - plain.xSize(block)) ? plain.xRealloc(block, bytes) : nullptr;
}

/// Possible only before SQLite is first used. Where another part of the process was faster, queries are ended by the clock
/// between two of their steps alone.
[[maybe_unused]] const bool is_installed = [] {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK) return false;
    sqlite3_mem_methods watched = plain;
    watched.xMalloc = take;
    watched.xFree = give_back;
    watched.xRealloc = take_again;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &watched) == SQLITE_OK;
}();

}  // namespace

QueryMemory::QueryMemory(MayGoOn may_go_on, void* argument) : may_go_on_(may_go_on), argument_(argument) {
    assert(memory_of_this_thread() == nullptr);
    memory_of_this_thread() = this;
}

QueryMemory::~QueryMemory() { memory_of_this_thread() = nullptr; }

bool QueryMemory::allows(std::int64_t bytes) {
    taken_bytes_ += bytes;
    const bool is_due =
        ++since_asked_ >= k_allocations_between_questions || taken_bytes_ - asked_at_bytes_ >= k_bytes_between_questions;
    if (is_due && !has_ended_) {
        since_asked_ = 0;
        asked_at_bytes_ = taken_bytes_;
        has_ended_ = !may_go_on_(argument_, taken_bytes_);
    }
    if (has_ended_) taken_bytes_ -= bytes;
    return !has_ended_;
}

}  // namespace snapviewer
