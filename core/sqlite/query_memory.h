#pragma once

#include <cstdint>

namespace snapviewer {

/// While an object of this class exists, SQLite's allocations on this thread are counted and may be refused. This limits the
/// memory of a query without a limit for the whole process, and stops SQLite where it does not call its progress handler,
/// such as while it compiles a statement. After a refusal SQLite returns SQLITE_NOMEM and stays usable. At most one object
/// per thread.
///
///     const QueryMemory memory([](void* control, std::int64_t bytes) { return bytes < k_most; }, &control);
class QueryMemory {
public:
    /// `may_go_on` decides whether the query may continue. It is called once in 64 allocations or 1 MiB, with the number of
    /// bytes allocated minus freed since construction.
    using MayGoOn = bool (*)(void* argument, std::int64_t taken_bytes);

    QueryMemory(MayGoOn may_go_on, void* argument);
    ~QueryMemory();
    QueryMemory(const QueryMemory&) = delete;
    QueryMemory& operator=(const QueryMemory&) = delete;

    /// Called by SQLite's allocator: true if `bytes` more bytes may be allocated.
    bool allows(std::int64_t bytes);
    void gives_back(std::int64_t bytes) { taken_bytes_ -= bytes; }

private:
    MayGoOn may_go_on_;
    void* argument_;
    std::int64_t taken_bytes_ = 0;
    std::int64_t asked_at_bytes_ = 0;
    int since_asked_ = 0;
    bool has_ended_ = false;
};

}  // namespace snapviewer
