#pragma once

#include <cstdint>

namespace snapviewer {

/// While one of these lives, what SQLite takes on this thread is counted and may be refused: that is how a query's memory is
/// limited without a limit for the whole process, and how SQLite is ended where it looks at no clock, as while it makes a
/// program of a query. SQLite then says SQLITE_NOMEM and stays usable. At most one on a thread.
///
///     const QueryMemory memory([](void* control, std::int64_t bytes) { return bytes < k_most; }, &control);
class QueryMemory {
public:
    /// `may_go_on` is asked now and then with what was taken, less what was given back, since this was made.
    using MayGoOn = bool (*)(void* argument, std::int64_t taken_bytes);

    QueryMemory(MayGoOn may_go_on, void* argument);
    ~QueryMemory();
    QueryMemory(const QueryMemory&) = delete;
    QueryMemory& operator=(const QueryMemory&) = delete;

    /// From SQLite's side: whether that many more bytes may be taken.
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
