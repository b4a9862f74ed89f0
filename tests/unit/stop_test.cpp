#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

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
#include "core/export/export_database.h"
#include "core/export/export_snapviewer.h"
#include "tests/bench/training_pickle.h"
#include "tests/unit/scratch_database.h"
#include "tests/unit/zip_text.h"

namespace snapviewer::stop_test {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// A sanitizer makes everything take many times as long.
constexpr double k_answers_within_ms = 2000;
constexpr int k_rows = 10'000;
#else
constexpr double k_answers_within_ms = 200;
constexpr int k_rows = 100'000;  // so many, or a few times as many, take a good part of a second
#endif
constexpr int k_second_looks = 2;  // at a moment that was answered late: the machine may have had other things to do
constexpr double k_latest = 0.8;   // of the time that a whole load takes: nothing can be stopped after its end

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

/// How often each kind of load is cancelled; more where somebody asks for it.
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

/// Stored, not packed (RFC 1951, section 3.2.4).
std::string gzipped(const std::string& bytes) {
    const auto little = [](std::uint64_t value, int width) { return test::PickleText().little(value, width).bytes(); };
    std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    std::uint32_t sum = ~0U;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (0xEDB88320 & (0 - (sum & 1)));
    }
    constexpr std::size_t k_block = 0xFFFF;
    for (std::size_t at = 0; at < bytes.size(); at += k_block) {
        const std::size_t size = std::min(k_block, bytes.size() - at);
        packed += at + size == bytes.size() ? '\x01' : '\0';
        packed += little(size, 2) + little(~size & 0xFFFF, 2);
        packed.append(bytes, at, size);
    }
    return packed + little(~sum, 4) + little(bytes.size(), 4);
}

std::uint8_t* bytes_in(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

/// By an encoder that `begin` sets up.
template <typename Begin>
std::string compressed(std::string bytes, Begin begin) {
    lzma_stream stream = LZMA_STREAM_INIT;
    EXPECT_EQ(begin(&stream), LZMA_OK);
    std::string packed(bytes.size() + 1000, '\0');
    stream.next_in = bytes_in(bytes);
    stream.avail_in = bytes.size();
    stream.next_out = bytes_in(packed);
    stream.avail_out = packed.size();
    EXPECT_EQ(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    packed.resize(stream.total_out);
    lzma_end(&stream);
    return packed;
}

std::string xz(const std::string& bytes) {
    return compressed(bytes, [](lzma_stream* stream) { return lzma_easy_encoder(stream, 0, LZMA_CHECK_CRC64); });
}

std::string lzma(const std::string& bytes) {
    lzma_options_lzma options;
    EXPECT_FALSE(lzma_lzma_preset(&options, 0));
    return compressed(bytes, [&](lzma_stream* stream) { return lzma_alone_encoder(stream, &options); });
}

std::string bzip2(std::string bytes) {
    std::string packed(bytes.size() + bytes.size() / 50 + 1000, '\0');
    auto size = static_cast<unsigned>(packed.size());
    EXPECT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, bytes.data(), static_cast<unsigned>(bytes.size()), 1, 0, 0),
              BZ_OK);
    packed.resize(size);
    return packed;
}

std::string zstd(const std::string& bytes) {
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
    return packed;
}

std::string page(const std::string& bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text = "<html><script>x = [{\"base64\": \"";
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])); };
        const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (const int shift : {18, 12, 6, 0}) text += digits[bits >> shift & 63];
    }
    return text + "\"}]</script></html>";
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

/// Files of the kinds that are read in ways of their own, each large enough to take a good part of a second.
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

    /// Cancels the opening of a file at random moments; each time it must answer in time, and that it was stopped.
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

    /// How long the opening of a file worked on after it was told to stop at a moment; none if that came too late.
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
        // What a busy machine adds by not letting it work does not count.
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
    cancel_often(
        database(std::string("CREATE TABLE weight_entries (id INTEGER PRIMARY KEY, name, size_bytes, grad_size_bytes);"
                             "CREATE TABLE activation_entries (id INTEGER PRIMARY KEY, operation_name, size_bytes);"
                             "CREATE TABLE stack_correlation (correlation_id INTEGER PRIMARY KEY, entry_id, entry_type);"
                             "CREATE TABLE stack_frames (correlation_id, ordering, file_path, line_number);"
                             "CREATE TABLE entry_types (entry_type INTEGER PRIMARY KEY, name);"
                             "CREATE TABLE misc_sizes (key TEXT PRIMARY KEY, size_bytes);"
                             "INSERT INTO entry_types VALUES (1, 'Weight'), (2, 'Activation');"
                             "INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 1 << 40);") +
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
    ASSERT_TRUE(export_snapviewer_folder(*whole.devices[0].timeline, folder, progress));
    ASSERT_TRUE(export_database(*whole.database, *whole.snapshot, 0, database, progress));
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
    const Status as_zip = export_snapviewer_zip(timeline, out, progress);
    const Status as_folder = export_snapviewer_folder(timeline, out, progress);
    const Status as_database = export_database(*(*document)->database, *(*document)->snapshot, 0, out, progress);
    for (const Status& written : {as_zip, as_folder, as_database}) {
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::cancelled) << written.error().text();
    }
    EXPECT_FALSE(std::filesystem::exists(out));
}

/// What many allocations that end in the order in which they began cost to lay out.
TEST_F(Stop, FirstInFirstOut) {
    test::PickleText events;
    for (std::uint64_t i = 1; i <= k_rows; ++i) events.event("alloc", 4096 * i, 512);
    for (std::uint64_t i = 1; i <= k_rows; ++i) events.event("free_completed", 4096 * i, 512);
    cancel_often(write("x", test::PickleText::snapshot_of(events).bytes()));
}

}  // namespace
}  // namespace snapviewer::stop_test
