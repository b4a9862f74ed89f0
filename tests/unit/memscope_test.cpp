// Tests of msMemScope's databases with tables of a few rows. The expected values were computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/load/profilers/memscope/dump.h"
#include "core/load/profilers/readers.h"
#include "tests/unit/column_values.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

using profilers::memscope::Attributes;

std::vector<std::pair<std::string, std::string>> fields_of(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> found;
    Attributes attributes(text);
    while (attributes.next()) found.emplace_back(attributes.key(), attributes.value());
    return found;
}
using TextPairs = std::vector<std::pair<std::string, std::string>>;

TEST(MemscopeAttributes, AreJsonWithQuotesOrWithout) {
    const TextPairs expected{{"addr", "0x12"}, {"size", "-512"}, {"owner", ""}};
    EXPECT_EQ(fields_of(R"({"addr":"0x12","size":"-512","owner":""})"), expected);
    EXPECT_EQ(fields_of(R"( { "addr" : "0x12" , "size" : -512 , "owner" : "" } )"), expected);
    EXPECT_EQ(fields_of("{addr:0x12,size:-512,owner:}"), expected);
    EXPECT_EQ(fields_of("\"{addr:0x12,size:-512,owner:}\""), expected);
}

TEST(MemscopeAttributes, EndWhereTheyStopMakingSense) {
    EXPECT_EQ(fields_of(""), TextPairs());
    EXPECT_EQ(fields_of("{}"), TextPairs());
    EXPECT_EQ(fields_of("N/A"), TextPairs());
    EXPECT_EQ(fields_of("{\"size"), TextPairs());
    EXPECT_EQ(fields_of("{\"size\":\"5"), (TextPairs{{"size", "5"}}));
    EXPECT_EQ(fields_of("{\"a\":\"x\\\"y\",\"shape\":[1,{\"b\":2}],\"size\":5}"),
              (TextPairs{{"a", "x\\\"y"}, {"shape", "[1,{\"b\":2}]"}, {"size", "5"}}));
    EXPECT_EQ(fields_of("{\"shape\":[1,2"), (TextPairs{{"shape", "[1,2"}}));
    EXPECT_EQ(fields_of("{\"a\\"), TextPairs());
}

TEST(MemscopeAttributes, Numbers) {
    EXPECT_EQ(profilers::memscope::number_of("-512"), -512);
    EXPECT_EQ(profilers::memscope::number_of("512.0"), 512);
    EXPECT_EQ(profilers::memscope::number_of("1e300"), std::nullopt);
    EXPECT_EQ(profilers::memscope::number_of("lots"), std::nullopt);
    EXPECT_EQ(profilers::memscope::number_of(""), std::nullopt);
}

TEST(MemscopeStacks, LinesOfPythonAndOfC) {
    const auto line = [](std::string_view text) {
        const profilers::StackLine parts = profilers::memscope::stack_line(text);
        return std::tuple(std::string(parts.file), parts.line, std::string(parts.function));
    };
    EXPECT_EQ(line("/home/me/a.py(11): <module>"), std::tuple("/home/me/a.py", 11, "<module>"));
    EXPECT_EQ(line("/odd (1)/a(2).py(7): f"), std::tuple("/odd (1)/a(2).py", 7, "f"));
    EXPECT_EQ(line("/lib/libruntime.so(+0x3e1214) [0xf79abf7d1214]"), std::tuple("/lib/libruntime.so", 0, "+0x3e1214"));
    EXPECT_EQ(line("/lib/hook.so(halMemAlloc+0x118) [0xf7]"), std::tuple("/lib/hook.so", 0, "halMemAlloc+0x118"));
    EXPECT_EQ(line("main"), std::tuple("", 0, "main"));
    EXPECT_EQ(line("a.py(x): f"), std::tuple("", 0, "a.py(x): f"));
    EXPECT_EQ(profilers::memscope::stack_lines("\"a(1): f\r\n\nb(2): g\n\""),
              (std::vector<std::string_view>{"a(1): f", "b(2): g"}));
    EXPECT_TRUE(profilers::memscope::stack_lines("N/A").empty());
    EXPECT_TRUE(profilers::memscope::stack_lines("\"\"").empty());
}

/// Origin of the times in the tables, which are in microseconds.
constexpr std::int64_t k_start_us = 1'746'006'014'162'153;

class Memscope : public testing::Test {
protected:
    static constexpr const char* k_old =
        "CREATE TABLE leaks_dump (id INTEGER, event TEXT, eventType TEXT, name TEXT, timestamp INTEGER, processId INTEGER, "
        "threadId INTEGER, deviceId TEXT, ptr TEXT, attr TEXT);";

    /// SQL for a row of the older table; `time` is in microseconds from k_start_us.
    static std::string row(const std::string& event, const std::string& type, std::int64_t time, const std::string& device,
                           const std::string& ptr, const std::string& attr, const std::string& name = "N/A", int thread = 7,
                           int process = 7) {
        return "INSERT INTO leaks_dump VALUES (1, '" + event + "', '" + type + "', '" + name + "', " +
               std::to_string(k_start_us + time) + ", " + std::to_string(process) + ", " + std::to_string(thread) + ", '" +
               device + "', '" + ptr + "', '" + attr + "');";
    }
    static std::string of_process(int process, const std::string& event, const std::string& type, std::int64_t time,
                                  const std::string& device, const std::string& ptr, int size) {
        return row(event, type, time, device, ptr, "{\"size\":\"" + std::to_string(size) + "\"}", "N/A", 7, process);
    }
    static std::string malloc(const std::string& type, std::int64_t time, const std::string& device, const std::string& ptr,
                              int size) {
        return row("MALLOC", type, time, device, ptr, "{\"size\":\"" + std::to_string(size) + "\"}");
    }
    static std::string free(const std::string& type, std::int64_t time, const std::string& device, const std::string& ptr,
                            int size = 0) {
        return row("FREE", type, time, device, ptr, "{\"size\":\"" + std::to_string(size) + "\"}");
    }

    void read(const std::string& sql) {
        loaded_ = {};
        file_ = nullptr;  // closes the file first, because some systems do not remove open files
        std::filesystem::remove(folder_.file("a.db"));
        { const WrittenDatabase written(folder_.file("a.db"), sql); }
        file_ = *sqlite::SqliteFile::open(folder_.file("a.db"));
        loaded_.snapshot = std::make_shared<Snapshot>();
        profilers::read_msmemscope(file_, *loaded_.snapshot, loaded_);
    }

    const DeviceTrace& part(const std::string& name) const {
        static const DeviceTrace k_none;
        const auto found = std::ranges::find(loaded_.snapshot->devices, name, &DeviceTrace::part);
        EXPECT_NE(found, loaded_.snapshot->devices.end()) << name;
        return found == loaded_.snapshot->devices.end() ? k_none : *found;
    }

    /// Size, address, and times of alloc and free in microseconds from k_start_us; -1 for a time that the file lacks.
    using Life = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;
    static std::vector<Life> lives(const DeviceTrace& trace) {
        std::vector<Life> found;
        for (std::size_t i = 0; i < trace.allocations.size(); ++i) {
            const AllocationRow row = trace.allocations.row(i);
            const auto time = [&](EventId event) {
                return event.is_some() ? trace.events.time_us[event.value] - k_start_us : -1;
            };
            found.emplace_back(row.size_bytes, row.address, time(row.alloc_event), time(row.free_event));
        }
        return found;
    }
    using Lives = std::vector<Life>;

    std::uint64_t count_of(const std::string& code) const {
        const auto& entries = loaded_.snapshot->log.entries();
        const auto found = std::ranges::find(entries, code, &ImportEntry::code);
        return found == entries.end() ? 0 : found->count;
    }

    TestFolder folder_;
    std::shared_ptr<sqlite::SqliteFile> file_;
    profilers::LoadedFile loaded_;
};

TEST_F(Memscope, EachKindOfMemoryOfEachDeviceIsAPart) {
    read(k_old + malloc("PTA", 1, "0", "100", 512) + malloc("HAL", 2, "0", "100", 1024) +
         malloc("PTA", 3, "1", "100", 2048) + free("PTA", 5, "0", "100") + free("PTA", 6, "1", "100") +
         malloc("HAL", 7, "host", "900", 64) + malloc("NEW_ONE", 8, "1", "100", 32) +
         row("SYSTEM", "ACL_FINI", 20, "N/A", "N/A", ""));
    std::vector<std::tuple<std::int32_t, std::string>> parts;
    for (const DeviceTrace& trace : loaded_.snapshot->devices) parts.emplace_back(trace.device, trace.part);
    EXPECT_EQ(parts,
              (std::vector<std::tuple<std::int32_t, std::string>>{
                  {-5, "NEW_ONE of device 1"}, {-4, "HAL of device 0"}, {-3, "HAL of the host"}, {0, "PTA"}, {1, "PTA"}}));
    EXPECT_EQ(lives(loaded_.snapshot->devices[3]), (Lives{{512, 100, 1, 5}}));
    EXPECT_EQ(lives(loaded_.snapshot->devices[4]), (Lives{{2048, 100, 3, 6}}));
    EXPECT_EQ(lives(part("HAL of device 0")), (Lives{{1024, 100, 2, -1}}));
    EXPECT_EQ(lives(part("HAL of the host")), (Lives{{64, 900, 7, -1}}));
    // Memory that is not freed lives to the end of the recording.
    EXPECT_EQ(part("HAL of device 0").end_us, k_start_us + 20);
    EXPECT_EQ(part("HAL of device 0").start_us, k_start_us + 1);
}

TEST_F(Memscope, FreesOfHalNameNoDevice) {
    read(k_old + malloc("HAL", 1, "0", "100", 512) + malloc("HAL", 2, "1", "200", 1024) + free("HAL", 3, "N/A", "200") +
         free("HAL", 4, "N/A", "100") + malloc("HAL", 5, "1", "100", 256) + malloc("HAL", 6, "0", "100", 128) +
         free("HAL", 7, "1", "100"));
    EXPECT_EQ(lives(loaded_.snapshot->devices[0]), (Lives{{512, 100, 1, 4}, {128, 100, 6, -1}}));
    EXPECT_EQ(lives(loaded_.snapshot->devices[1]), (Lives{{1024, 200, 2, 3}, {256, 100, 5, 7}}));
}

TEST_F(Memscope, OtherMemoryGoesByItsDevice) {
    read(k_old + malloc("PTA", 1, "0", "100", 512) + free("PTA", 2, "1", "100", -512));
    EXPECT_EQ(lives(loaded_.snapshot->devices[0]), (Lives{{512, 100, 1, -1}}));
    EXPECT_EQ(lives(loaded_.snapshot->devices[1]), (Lives{{512, 100, -1, 2}}));
    EXPECT_EQ(count_of("freed_before_seen"), 1U);
}

TEST_F(Memscope, RowsNeedNotStandInOrder) {
    // Older versions write all rows of a block when it is freed, so rows are out of order. Ids repeat, too.
    read(k_old + malloc("PTA", 3, "0", "200", 64) + free("PTA", 4, "0", "200") + malloc("PTA", 1, "0", "100", 512) +
         free("PTA", 6, "0", "100") + malloc("PTA", 7, "0", "100", 256));
    EXPECT_EQ(lives(part("PTA")), (Lives{{512, 100, 1, 6}, {64, 200, 3, 4}, {256, 100, 7, -1}}));
}

TEST_F(Memscope, TheFirstMallocOfAnAddressCounts) {
    read(k_old + malloc("PTA", 1, "0", "100", 512) + malloc("PTA", 2, "0", "100", 64) + free("PTA", 3, "0", "100") +
         free("PTA", 4, "0", "100"));
    EXPECT_EQ(lives(part("PTA")), (Lives{{512, 100, 1, 3}}));
    EXPECT_EQ(count_of("duplicate_rows"), 1U);
    EXPECT_EQ(count_of("release_without_allocation"), 1U);
}

TEST_F(Memscope, WhatWasThereBeforeLiesAtTheBottom) {
    // 1000 bytes were allocated before the recording: 300 and 200 of them are freed, 500 stay.
    const auto with_totals = [](const std::string& event, std::int64_t time, const std::string& ptr, int size, int used) {
        return row(
            event, "PTA", time, "0", ptr,
            "{\"size\":\"" + std::to_string(size) + "\",\"total\":\"4096\",\"used\":\"" + std::to_string(used) + "\"}");
    };
    read(k_old + with_totals("MALLOC", 1, "1", 64, 1064) + with_totals("FREE", 2, "2", -300, 764) +
         with_totals("FREE", 3, "3", -200, 564) + with_totals("FREE", 4, "1", -64, 500));
    EXPECT_EQ(lives(part("PTA")), (Lives{{500, 0, -1, -1}, {200, 3, -1, 3}, {300, 2, -1, 2}, {64, 1, 1, 4}}));
    EXPECT_EQ(part("PTA").initial_count, 3U);
    EXPECT_EQ(part("PTA").allocations.origin, (std::vector{Origin::derived, Origin::freed, Origin::freed, Origin::alloc}));
    EXPECT_EQ(count_of("before_profile:PTA"), 1U);
    ASSERT_EQ(part("PTA").memory_series.size(), 2U);
    EXPECT_EQ(test::values_of(part("PTA").memory_series[0].values), (std::vector<double>{1064, 764, 564, 500}));
    EXPECT_EQ(test::values_of(part("PTA").memory_series[1].values), (std::vector<double>{4096}));
}

TEST_F(Memscope, TimesAreWhatTheyCanBeWhateverTheColumnIsCalled) {
    // The first versions wrote microseconds into a column named for nanoseconds.
    const std::string create =
        "CREATE TABLE leaks_dump (\"Event\", \"Event Type\", \"Timestamp(ns)\", \"Device Id\", Ptr, Attr);";
    const auto first_time = [&](const std::string& time) {
        read(create + "INSERT INTO leaks_dump VALUES ('MALLOC', 'HAL', " + time + ", 0, 5, '{size:8}')");
        return part("HAL").events.time_us.front();
    };
    EXPECT_EQ(first_time("1746006014162153"), 1746006014162153);
    EXPECT_EQ(first_time("1746006014162153999"), 1746006014162153);
    EXPECT_EQ(first_time("'1746006014162153999'"), 1746006014162153);
    EXPECT_EQ(first_time("5000"), 5);  // too small for either unit, so the column's name decides
}

TEST_F(Memscope, MarksAndRangesAreBands) {
    read(k_old + malloc("PTA", 1, "0", "100", 512) + malloc("PTA", 1, "1", "100", 512) +
         row("MSTX", "Mark", 2, "0", "N/A", "", "\"start\"") + row("MSTX", "Range_start", 3, "0", "N/A", "", "\"outer\"") +
         row("MSTX", "Range_start", 4, "0", "N/A", "", "\"inner\"") +
         row("MSTX", "Range_end", 5, "0", "N/A", "", "\"Range end from id 1\"") +
         row("MSTX", "Range_end", 6, "0", "N/A", "", "\"Range end from id 2\"") +
         row("MSTX", "Range_start", 7, "0", "N/A", "", "\"open\"") +
         row("MSTX", "Range_end", 8, "0", "N/A", "", "\"of before\"", 8));
    const DeviceTrace& trace = loaded_.snapshot->devices[0];
    ASSERT_EQ(trace.tracks.size(), 1U);
    EXPECT_EQ(trace.tracks[0].name, "MSTX");
    std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> ranges;
    for (const Range& range : trace.tracks[0].ranges)
        ranges.emplace_back(range.name, range.start_us == k_no_time ? -1 : range.start_us - k_start_us,
                            range.end_us == k_no_time ? -1 : range.end_us - k_start_us);
    EXPECT_EQ(ranges, (std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>{
                          {"of before", -1, 8}, {"start", 2, 2}, {"outer", 3, 5}, {"inner", 4, 6}, {"open", 7, -1}}));
    EXPECT_TRUE(loaded_.snapshot->devices[1].tracks.empty());
}

TEST_F(Memscope, ProcessesThatShareADeviceHaveAPictureEach) {
    read(k_old + of_process(8, "MALLOC", "PTA", 1, "0", "100", 512) + of_process(9, "MALLOC", "PTA", 2, "0", "100", 1024) +
         of_process(9, "MALLOC", "HAL", 2, "0", "700", 4096) + of_process(8, "MALLOC", "HAL", 3, "1", "700", 2048) +
         of_process(9, "FREE", "PTA", 4, "0", "100", 1024) + of_process(8, "FREE", "HAL", 5, "N/A", "700", 2048) +
         of_process(8, "FREE", "HAL", 6, "N/A", "900", 256) + of_process(9, "FREE", "HAL", 7, "N/A", "900", 128) +
         row("MSTX", "Mark", 2, "0", "N/A", "", "\"eight\"", 7, 8) +
         row("MSTX", "Mark", 3, "0", "N/A", "", "\"nine\"", 7, 9) +
         row("MSTX", "Mark", 4, "0", "N/A", "", "\"launcher\"", 7, 5));
    EXPECT_EQ(lives(part("PTA in process 8")), (Lives{{512, 100, 1, -1}}));
    EXPECT_EQ(lives(part("PTA of device 0 in process 9")), (Lives{{1024, 100, 2, 4}}));
    EXPECT_EQ(lives(part("HAL of device 0 in process 9")), (Lives{{128, 900, -1, 7}, {4096, 700, 2, -1}}));
    EXPECT_EQ(lives(part("HAL")), (Lives{{256, 900, -1, 6}, {2048, 700, 3, 5}}));  // the only process on device 1
    EXPECT_EQ(part("PTA in process 8").device, 0);
    EXPECT_EQ(part("HAL").device, 1);
    const auto marks = [&](const std::string& name) {
        std::vector<std::string> found;
        for (const Track& track : part(name).tracks) {
            for (const Range& range : track.ranges) found.push_back(range.name);
        }
        return found;
    };
    EXPECT_EQ(marks("PTA in process 8"), (std::vector<std::string>{"eight", "launcher"}));
    EXPECT_EQ(marks("PTA of device 0 in process 9"), (std::vector<std::string>{"nine", "launcher"}));
}

TEST_F(Memscope, ARowWithoutItsProcessMayBeOfAny) {
    read(k_old + of_process(8, "MALLOC", "PTA", 1, "0", "100", 512) + of_process(0, "FREE", "PTA", 2, "0", "100", 512) +
         of_process(0, "MALLOC", "PTA", 3, "0", "200", 256) + of_process(8, "FREE", "PTA", 4, "0", "200", 256));
    EXPECT_EQ(lives(part("PTA of device 0 in process 8")), (Lives{{512, 100, 1, 2}}));
    EXPECT_EQ(lives(part("PTA in an unknown process")), (Lives{{256, 200, 3, 4}}));
}

TEST_F(Memscope, LaunchesKernelsAndOperatorsAreTracksOfTheDevice) {
    const std::string task = R"({"streamId":"2","taskId":"9"})";
    read(k_old + malloc("PTA", 1, "0", "100", 512) + malloc("HAL", 1, "0", "100", 512) +
         row("OP_LAUNCH", "ATEN_START", 2, "0", "N/A", "", "aten::mm") +
         row("KERNEL_LAUNCH", "KERNEL_LAUNCH", 3, "0", "N/A", task, "MatMul") +
         row("KERNEL_LAUNCH", "KERNEL_EXCUTE_START", 4, "0", "N/A", task, "MatMul", -1) +
         row("KERNEL_LAUNCH", "KERNEL_EXCUTE_START", 5, "0", "N/A", R"({"steamId":"3","taskId":"9"})", "MatMul", -1) +
         row("KERNEL_LAUNCH", "KERNEL_EXCUTE_END", 6, "0", "N/A", task, "MatMul", -1) +
         row("OP_LAUNCH", "ATEN_END", 7, "0", "N/A", "", "aten::mm") +
         row("KERNEL_LAUNCH", "KERNEL_LAUNCH", 8, "0", "N/A", ""));
    std::vector<std::tuple<std::string, std::string, std::int64_t, std::int64_t>> found;
    for (const Track& track : part("PTA").tracks) {
        for (const Range& range : track.ranges)
            found.emplace_back(track.name, range.name, range.start_us - k_start_us,
                               range.end_us == k_no_time ? -1 : range.end_us - k_start_us);
    }
    EXPECT_EQ(found, (std::vector<std::tuple<std::string, std::string, std::int64_t, std::int64_t>>{
                         {"Operators", "aten::mm", 2, 7},
                         {"Kernels", "MatMul", 4, 6},
                         {"Kernels", "MatMul", 5, -1},
                         {"Kernel launches", "MatMul", 3, 3},
                         {"Kernel launches", "launch", 8, 8}}));
    EXPECT_TRUE(part("HAL of device 0").tracks.empty());
}

TEST_F(Memscope, DetailsTellWhatTheTableKnows) {
    read(
        "CREATE TABLE memscope_dump (ID, Event, \"Event Type\", Name, \"Timestamp(ns)\", \"Process Id\", \"Thread Id\", "
        "\"Device Id\", Ptr, Attr, \"Call Stack(Python)\", \"Call Stack(C)\");"
        "INSERT INTO memscope_dump VALUES (1, 'MALLOC', 'PTA', 'N/A', 1779862932214628220, 11, 12, '0', '0x10', "
        "'{\"addr\":\"0x10\",\"size\":\"512\",\"used\":\"512\",\"owner\":\"PTA@model\",\"inefficient_type\":\"early_"
        "allocation\"}', "
        "'/a.py(3): f' || char(10) || '/a.py(9): <module>' || char(10), '/lib.so(alloc+0x1) [0x5]' || char(10)),"
        "(2, 'ACCESS', 'READ', 'aten::mm', 1779862932214629000, 11, 12, '0', '0x10', '', '', ''),"
        "(2, 'ACCESS', 'READ', 'aten::mm', 1779862932214629500, 11, 12, '0', '0x20', '', '', ''),"
        "(3, 'FREE', 'PTA', 'N/A', 1779862932215878220, 11, 12, '0', '0x10', '', '', '/lib.so(free+0x2) [0x5]'),"
        "(4, 'ACCESS', 'READ', 'aten::mm', 1779862932215979000, 11, 12, '0', '0x10', '', '', '')");
    const auto sections = loaded_.details->details(0, AllocationId{0});
    ASSERT_TRUE(sections.ok());
    ASSERT_EQ(sections->size(), 4U);
    const auto moment = [](const char* end) { return std::string("2026-05-27 06:22:12.") + end; };
    EXPECT_EQ((*sections)[0].rows, (TextPairs{{"kind", "PTA"},
                                              {"row of memscope_dump", "1"},
                                              {"allocated", moment("214628220 UTC")},
                                              {"freed", moment("215878220 UTC, after 1.250 ms (row 4)")},
                                              {"process", "11"},
                                              {"thread", "12"},
                                              {"allocated after it", "512 bytes"},
                                              {"owner", "PTA@model"},
                                              {"inefficient_type", "early_allocation"}}));
    EXPECT_EQ((*sections)[1].rows,
              (TextPairs{{"number", "1"}, {"first", moment("214629000 UTC")}, {"last", moment("214629000 UTC")}}));
    EXPECT_EQ((*sections)[2].rows, (TextPairs{{"", "/lib.so(alloc+0x1) [0x5]"}}));
    EXPECT_EQ((*sections)[3].rows, (TextPairs{{"", "/lib.so(free+0x2) [0x5]"}}));
    const Snapshot& snapshot = *loaded_.snapshot;
    EXPECT_EQ(stack_text(snapshot.strings, snapshot.stacks, part("PTA").allocations.stack[0]),
              "/a.py:3:f\n/a.py:9:<module>");
    const MetadataId metadata = part("PTA").events.metadata[0];
    EXPECT_EQ(snapshot.strings.view(snapshot.metadata[metadata.value].category), "PTA@model");
}

TEST_F(Memscope, DamagedRowsAreCountedAndLeftOut) {
    read(k_old + malloc("PTA", 1, "0", "100", 512) + row("MALLOC", "PTA", 2, "0", "200", "") +
         row("MALLOC", "PTA", 3, "0", "N/A", "{\"size\":\"64\"}") + row("MALLOC", "PTA", 4, "0", "300", "{\"size\":\"0\"}") +
         row("FREE", "PTA", 5, "0", "100", "nonsense") + row("MALLOC", "PTA", 6, "0", "400", "{\"size\":\"4e18\"}") +
         "INSERT INTO leaks_dump SELECT id, event, eventType, name, NULL, 1, 1, deviceId, '500', attr FROM leaks_dump LIMIT "
         "1;" +
         row("DANCE", "", 7, "0", "N/A", "") + row("MALLOC", "PTA", 8, "0", "N/A", "{\"addr\":\"600\",\"size\":\"32\"}") +
         row("MALLOC", "PTA", 400'000'000'000, "0", "700", "{\"size\":\"32\"}"));
    EXPECT_EQ(lives(part("PTA")), (Lives{{512, 100, 1, 5}, {32, 600, 8, -1}}));
    EXPECT_EQ(count_of("rows_not_drawn"), 4U);
    EXPECT_EQ(count_of("size_impossible"), 1U);
    EXPECT_EQ(count_of("unknown_action"), 1U);
    EXPECT_EQ(count_of("times_far_off"), 1U);
}

TEST_F(Memscope, TablesWithoutMemoryStillOpen) {
    for (const char* sql :
         {"CREATE TABLE memscope_dump (x)", "CREATE TABLE leaks_dump (event, timestamp)",
          "CREATE TABLE leaks_dump (event, timestamp); INSERT INTO leaks_dump VALUES ('MALLOC', 5), (NULL, NULL)"}) {
        read(sql);
        EXPECT_EQ(count_of("no_blocks"), 1U) << sql;
        for (const DeviceTrace& trace : loaded_.snapshot->devices) EXPECT_EQ(trace.allocations.size(), 0U);
    }
}

}  // namespace
}  // namespace snapviewer
