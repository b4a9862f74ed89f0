#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "core/document/document.h"
#include "core/exports/export.h"
#include "tests/bench/training_pickle.h"
#include "tests/unit/packed_text.h"
#include "tests/unit/scratch_database.h"
#include "tests/unit/zip_text.h"

namespace snapviewer::stop_test {
namespace {

using namespace test::packed;

using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Sanitizers slow everything down many times.
constexpr double k_answers_within_ms = 2000;
constexpr int k_rows = 10'000;
#else
constexpr double k_answers_within_ms = 200;
constexpr int k_rows = 100'000;  // loading this number of rows, or a few times as many, takes a good part of a second
#endif
constexpr int k_second_looks = 2;  // retries of a late answer, because the machine may have been busy
// Latest stop request, as a fraction of the duration of a complete load, because nothing can be stopped after the end.
constexpr double k_latest = 0.8;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

/// How often each kind of load is cancelled; the environment variable SNAPVIEWER_CANCELS overrides it.
int cancels() {
    const char* wanted = std::getenv("SNAPVIEWER_CANCELS");
    return wanted == nullptr ? 5 : std::atoi(wanted);
}

const std::string& pickled() {
    static const std::string bytes = test::TrainingPickle(3 * k_rows).bytes();
    return bytes;
}

std::string json() {
    std::string text = R"({"segments": [], "device_traces": [[)";
    for (int i = 0; i < 2 * k_rows; ++i) {
        text += (i == 0 ? "" : ",") + std::string(R"({"action": ")") + (i % 2 == 0 ? "alloc" : "free_completed") +
                R"(", "addr": )" + std::to_string(4096 * (i / 2 + 1)) +
                R"(, "size": 512, "stream": 0, "frames": [{"filename": "f)" + std::to_string(i % 97) +
                R"(.py", "line": 7, "name": "g"}]})";
    }
    return text + "]]}";
}

std::string snapviewer_zip() {
    std::string allocations = "[", elements = "[";
    for (int i = 0; i < k_rows; ++i) {
        const std::string step = std::to_string(i);
        allocations += (i == 0 ? "" : ",") + std::string(R"({"timesteps": [)") + step + ", " + std::to_string(i + 3) +
                       R"(], "offsets": [0, 0], "size": 512})";
        elements += (i == 0 ? "" : ",") +
                    std::string(R"({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": []})");
    }
    return test::ZipText().member("allocations.json", allocations + "]").member("elements.json", elements + "]").bytes();
}

/// Files of each kind that has its own reader, each large enough to load for a good part of a second.
class Stop : public ::testing::Test {
protected:
    std::string write(const std::string& name, const std::string& bytes) {
        std::ofstream(folder_.file(name), std::ios::binary) << bytes;
        return folder_.file(name);
    }

    std::string database(const std::string& sql) {
        const WrittenDatabase written(folder_.file("x.db"), "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;" + sql);
        return folder_.file("x.db");
    }

    /// Cancels the opening of a file at random moments. Each time it must return in time, with ErrorCode::cancelled.
    static void cancel_often(const std::string& path) {
        const Clock::time_point start = Clock::now();
        Progress whole;
        const auto opened = open_document(path, {}, whole);
        ASSERT_TRUE(opened) << opened.error().text();
        const double whole_ms = ms_since(start);
        std::mt19937 random(17);
        std::uniform_real_distribution<double> moments(0, k_latest * whole_ms);
        int stopped_count = 0;
        double slowest_ms = 0;
        for (int i = 0; i < cancels(); ++i) {
            const double moment_ms = moments(random);
            std::optional<double> answer_ms = cancel_at(path, moment_ms);
            for (int again = 0; again < k_second_looks && answer_ms > k_answers_within_ms; ++again) {
                if (const std::optional<double> second_ms = cancel_at(path, moment_ms))
                    answer_ms = std::min(*answer_ms, *second_ms);
            }
            if (!answer_ms) continue;
            ++stopped_count;
            slowest_ms = std::max(slowest_ms, *answer_ms);
        }
        EXPECT_GT(stopped_count, 0);
        EXPECT_LT(slowest_ms, k_answers_within_ms) << "of " << whole_ms << " ms";
        ::testing::Test::RecordProperty("slowest_ms", std::to_string(slowest_ms));
    }

    /// Time that opening a file continues after a stop request at `moment_ms`; nullopt if the request came too late.
    static std::optional<double> cancel_at(const std::string& path, double moment_ms) {
        Progress progress;
        Clock::time_point answered;
        ErrorCode code = ErrorCode::bad_file;
        std::jthread worker([&] {
            const auto document = open_document(path, {}, progress);
            answered = Clock::now();
            if (!document) code = document.error().code;
        });
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment_ms));
        const Clock::time_point asked = Clock::now();
        const std::clock_t used = std::clock();
        progress.request_stop();
        worker.join();
        const double worked_ms = 1000.0 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
        if (code != ErrorCode::cancelled) return std::nullopt;
        // Excludes time in which a busy machine did not run this process.
        return std::min(std::chrono::duration<double, std::milli>(answered - asked).count(), worked_ms);
    }

    TestFolder folder_;
};

TEST_F(Stop, Pickle) { cancel_often(write("x", pickled())); }
TEST_F(Stop, Json) { cancel_often(write("x", json())); }
TEST_F(Stop, Gzip) { cancel_often(write("x", gzipped(pickled()))); }
TEST_F(Stop, Xz) { cancel_often(write("x", xz(pickled()))); }
TEST_F(Stop, Lzma) { cancel_often(write("x", lzma(pickled()))); }
TEST_F(Stop, Bzip2) { cancel_often(write("x", bzip2(pickled()))); }
TEST_F(Stop, Zstd) { cancel_often(write("x", zstd(pickled()))); }
TEST_F(Stop, Page) { cancel_often(write("x", page(pickled()))); }
TEST_F(Stop, ZippedSnapshot) { cancel_often(write("x", test::ZipText().member("a.pickle", pickled()).bytes())); }
TEST_F(Stop, SnapviewerZip) { cancel_often(write("x", snapviewer_zip())); }

const std::string k_insert_rows =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(k_rows) + ") INSERT INTO ";

TEST_F(Stop, AscendProfile) {
    cancel_often(database(
        std::string(
            "CREATE TABLE STRING_IDS (id INTEGER, value TEXT); INSERT INTO STRING_IDS VALUES (1, 'aten::mm');"
            "CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime, activeReleaseTime, duration, activeDuration,"
            "allocationTotalAllocated, allocationTotalReserved, allocationTotalActive, releaseTotalAllocated,"
            "releaseTotalReserved, releaseTotalActive, streamPtr, deviceId);") +
        k_insert_rows +
        "OP_MEMORY SELECT 1, 512, i * 1000, i * 1000 + 500000, NULL, 1, 1, 512, 2048, 512, 0, 2048, 0, 2, 0 FROM n"));
}

TEST_F(Stop, MemoryReport) {
    cancel_often(database(std::string(k_memory_report_tables) +
                          "INSERT INTO entry_types VALUES (1, 'Weight'), (2, 'Activation');"
                          "INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 1 << 40);" +
                          k_insert_rows + "activation_entries SELECT i, 'op' || (i % 50), 512 FROM n;" + k_insert_rows +
                          "stack_correlation SELECT i, i, 2 FROM n;" + k_insert_rows +
                          "stack_frames SELECT i, 0, 'f' || (i % 90) || '.py', i % 100 FROM n"));
}

TEST_F(Stop, RunTimeReport) {
    cancel_often(database(
        std::string("CREATE TABLE run_time_entries (id INTEGER PRIMARY KEY, operation_name, forward_ms, backward_ms);"
                    "CREATE TABLE stack_frames (ordering, file_path, line_number, entry_id);") +
        k_insert_rows + "run_time_entries SELECT i, 'op' || (i % 50), 1.5, 2.5 FROM n;" + k_insert_rows +
        "stack_frames SELECT 0, 'f' || (i % 90) || '.py', i % 100, i FROM n"));
}

TEST_F(Stop, GraphEngine) {
    cancel_often(
        database(std::string("CREATE TABLE STRING_IDS (id INTEGER, value TEXT);"
                             "INSERT INTO STRING_IDS VALUES (1, 'allocate'), (2, 'release'), (3, 'GE'), (10, 'Conv2D');"
                             "CREATE TABLE NPU_OP_MEM (operatorName, addr, type, size, timestampNs, globalTid,"
                             "totalAllocate, totalReserve, component, deviceId);") +
                 k_insert_rows + "NPU_OP_MEM SELECT 10, i / 2 * 4096, 1 + i % 2, 512, i * 1000, 1, 512, 4096, 3, 0 FROM n"));
}

TEST_F(Stop, Insight) {
    cancel_often(database(
        std::string(
            "CREATE TABLE dictionary (`table` TEXT, `column` TEXT, `key` TEXT, `value` TEXT);"
            "INSERT INTO dictionary VALUES ('trace_entry_0', 'action', '4', 'alloc'),"
            "('trace_entry_0', 'action', '6', 'free_completed'), ('block_0', 'state', '1', 'active_allocated');"
            "CREATE TABLE block_0 (id INTEGER PRIMARY KEY, address, size, requestedSize, state, allocEventId, freeEventId);"
            "CREATE TABLE trace_entry_0 (id INTEGER PRIMARY KEY, action, address, size, stream, allocated, active,"
            "reserved, callstack);") +
        k_insert_rows +
        "trace_entry_0 SELECT i, 4 + 2 * (i % 2), i / 2 * 4096, 512, 0, 512, 512, 4096, 'f' || (i % 97) || '.py:7 g' FROM "
        "n"));
}

TEST_F(Stop, MsMemScope) {
    cancel_often(database(
        std::string(
            "CREATE TABLE memscope_dump (\"ID\", \"Event\", \"Event Type\", \"Name\", \"Timestamp(ns)\", \"Process Id\","
            "\"Thread Id\", \"Device Id\", \"Ptr\", \"Attr\", \"Call Stack(Python)\", \"Call Stack(C)\");") +
        k_insert_rows +
        "memscope_dump SELECT i, CASE i % 2 WHEN 0 THEN 'MALLOC' ELSE 'FREE' END, 'PTA', 'N/A', i * 1000, 1, 1, '0',"
        "printf('0x%016x', i / 2 * 4096), json_object('size', '512', 'total', '4096', 'used', '512'),"
        "'f' || (i % 97) || '.py(7): g' || char(10), '' FROM n"));
}

TEST_F(Stop, MemoryTimeline) {
    std::string times, totals;
    for (int i = 0; i < k_rows; ++i) {
        times += (i == 0 ? "" : ",") + std::to_string(1'700'000'000'000'000 + i * 500LL);
        totals += (i == 0 ? "" : ",") + std::string("[0,1024,0,512,0,4096,0,") + std::to_string(i % 977) + ",64]";
    }
    cancel_often(write("x", "[[" + times + "],[" + totals + "]]"));
}

TEST_F(Stop, WhatWeWriteOurselves) {
    const std::string path = write("x", pickled());
    Progress progress;
    const auto document = open_document(path, {}, progress);
    ASSERT_TRUE(document) << document.error().text();
    const Document& whole = **document;
    const std::string folder = folder_.file("out"), database = folder_.file("out.db");
    ASSERT_TRUE(exports::export_snapviewer_folder(*whole.devices[0].timeline, folder, progress));
    ASSERT_TRUE(exports::export_database(*whole.database, *whole.snapshot, 0, database, progress));
    cancel_often(folder);
    cancel_often(database);
}

TEST_F(Stop, WhatIsWritten) {
    Progress progress;
    const auto document = open_document(write("x", pickled()), {}, progress);
    ASSERT_TRUE(document) << document.error().text();
    const Timeline& timeline = *(*document)->devices[0].timeline;
    const std::string out = folder_.file("out");
    progress.request_stop();
    const Status as_zip = exports::export_snapviewer_zip(timeline, out, progress);
    const Status as_folder = exports::export_snapviewer_folder(timeline, out, progress);
    const Status as_database = exports::export_database(*(*document)->database, *(*document)->snapshot, 0, out, progress);
    for (const Status& written : {as_zip, as_folder, as_database}) {
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::cancelled) << written.error().text();
    }
    EXPECT_FALSE(std::filesystem::exists(out));
}

/// Tests the layout of many allocations that are freed in the order of their allocation.
TEST_F(Stop, FirstInFirstOut) {
    test::PickleText events;
    for (std::uint64_t i = 1; i <= k_rows; ++i) events.event("alloc", 4096 * i, 512);
    for (std::uint64_t i = 1; i <= k_rows; ++i) events.event("free_completed", 4096 * i, 512);
    cancel_often(write("x", test::PickleText::snapshot_of(events).bytes()));
}

}  // namespace
}  // namespace snapviewer::stop_test
