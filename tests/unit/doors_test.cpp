#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>

#include "core/base/context.h"
#include "core/base/job.h"
#include "core/load/bytes/zip_callback.h"
#include "core/sqlite/connection.h"
#include "tests/unit/doors.h"

namespace snapviewer::doors_test {
namespace {

/// An exception that work may throw, and how each kind of door reports it.
struct Thrown {
    void (*one)();
    ErrorCode code;
    int sqlite;
    int zip;
};
constexpr Thrown k_thrown[] = {
    {[] {
         throw Failure{{ErrorCode::bad_file, "is no file"}};
     },
     ErrorCode::bad_file, SQLITE_INTERRUPT, ZIP_ER_CANCELLED},
    {[] { throw std::bad_alloc(); }, ErrorCode::memory, SQLITE_NOMEM, ZIP_ER_MEMORY},
    {[] { throw std::system_error(EAGAIN, std::generic_category()); }, ErrorCode::environment, SQLITE_ERROR,
     ZIP_ER_INTERNAL},
};

/// The exception that the callbacks of this test throw.
const Thrown* g_thrown = nullptr;

TEST(Doors, ReturnWhatWorkThrows) {
    for (const Thrown& thrown : k_thrown) {
        EXPECT_EQ(caught(thrown.one).error().code, thrown.code);
        EXPECT_EQ(caught([&] { start_async(thrown.one).get(); }).error().code, thrown.code);
    }
}

int throwing_method(sqlite3_vtab*) {
    g_thrown->one();
    return SQLITE_OK;
}

void throwing_function(sqlite3_context*, int, sqlite3_value**) { g_thrown->one(); }

TEST(Doors, CallbacksOfSqliteReturnItsCodes) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(":memory:", &raw), SQLITE_OK);
    const sqlite::SqliteConnection connection(raw);
    sqlite3_create_function_v2(raw, "fail", 0, SQLITE_UTF8, nullptr, sqlite::sqlite_callback<throwing_function>, nullptr,
                               nullptr, nullptr);
    for (const Thrown& thrown : k_thrown) {
        g_thrown = &thrown;
        EXPECT_EQ(sqlite::sqlite_callback<throwing_method>(nullptr), thrown.sqlite);
        EXPECT_EQ(sqlite3_exec(raw, "SELECT fail()", nullptr, nullptr, nullptr), thrown.sqlite);
    }
}

struct ThrowingSource {
    zip_error_t error{};

    zip_int64_t answer(void*, zip_uint64_t, zip_source_cmd_t) {
        g_thrown->one();
        return 0;
    }
};

TEST(Doors, CallbacksOfLibzipReturnItsCodes) {
    for (const Thrown& thrown : k_thrown) {
        g_thrown = &thrown;
        ThrowingSource source;
        EXPECT_EQ(bytes::zip_callback<ThrowingSource>(&source, nullptr, 0, ZIP_SOURCE_READ), -1);
        EXPECT_EQ(zip_error_code_zip(&source.error), thrown.zip);
        char codes[2 * sizeof(int)];
        EXPECT_EQ(bytes::zip_callback<ThrowingSource>(&source, codes, sizeof(codes), ZIP_SOURCE_ERROR), sizeof(codes));
    }
}

/// Enters a door and stops its work at the n-th check for a stop request. Returns false if the work makes fewer checks.
bool is_stopped_at(const test::Door& door, std::int64_t n, const std::string& expected) {
    std::atomic<std::int64_t> looks = 0;
    Progress progress;
    progress.set_stop_condition([&] { return ++looks >= n; });
    const Result<std::string> outcome = door.enter(progress);
    if (looks < n) {
        EXPECT_EQ(outcome ? *outcome : outcome.error().text(), expected);
        return false;
    }
    // Work that is complete at its last check may return its result.
    EXPECT_EQ(outcome ? *outcome : expected, expected);
    EXPECT_TRUE(outcome || outcome.error().code == ErrorCode::cancelled) << "look " << n << ": " << outcome.error().text();
    return true;
}

TEST(Doors, EndWhereverTheyAreStopped) {
    for (const test::Door& door : test::doors()) {
        if (door.is_c_interface) continue;
        SCOPED_TRACE(door.name);
        Progress progress;
        const Result<std::string> expected = door.enter(progress);
        ASSERT_TRUE(expected) << expected.error().text();
        for (std::int64_t n = 1; is_stopped_at(door, n, *expected); n += 1 + n / 20) {
        }
    }
}

}  // namespace
}  // namespace snapviewer::doors_test
