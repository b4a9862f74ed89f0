#include "tests/unit/doors.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/report/report.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/capi/snapviewer.h"
#include "core/document/document.h"
#include "core/exports/export.h"
#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"
#include "core/query/batches.h"
#include "core/replay/what_if.h"
#include "tests/bench/training_pickle.h"
#include "tests/unit/packed_text.h"
#include "tests/unit/scratch_database.h"
#include "tests/unit/zip_text.h"

namespace snapviewer::test {
namespace doors_list {
namespace {

using Json = nlohmann::ordered_json;
using DocumentPointer = std::shared_ptr<const Document>;

/// A snapshot as JSON with two segments, an annotation and a request that ran out of memory.
std::string json_snapshot() {
    const auto frames = [](int i) {
        Json list = Json::array();
        for (int depth = 0; depth < 5; ++depth)
            list.push_back({{"filename", "/home/me/model/layer_" + std::to_string(i % 7) + ".py"},
                            {"line", 10 * depth},
                            {"name", "forward_function_" + std::to_string(depth)}});
        return list;
    };
    Json events = Json::array();
    std::int64_t time_us = 1'700'000'000'000'000;
    const auto add = [&](const char* action, std::uint64_t address, std::uint64_t size, int stack) {
        events.push_back({{"action", action},
                          {"addr", address},
                          {"size", size},
                          {"stream", 0},
                          {"time_us", time_us += 100},
                          {"frames", frames(stack)}});
    };
    constexpr std::uint64_t k_segment = 0x7f0000000000, k_segment_bytes = 20 << 20, k_block_bytes = 1 << 20;
    for (std::uint64_t segment = 0; segment < 2; ++segment)
        add("segment_alloc", k_segment + segment * k_segment_bytes, k_segment_bytes, 1);
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < 8; ++i)
            add("alloc", k_segment + i * k_block_bytes, k_block_bytes, static_cast<int>(i));
        if (round == 2)
            events.push_back({{"action", "oom"},
                              {"size", 1 << 30},
                              {"device_free", 4096},
                              {"stream", 0},
                              {"time_us", time_us},
                              {"frames", frames(9)}});
        for (std::uint64_t i = 0; i < 6; ++i) {
            add("free_requested", k_segment + i * k_block_bytes, k_block_bytes, 2);
            add("free_completed", k_segment + i * k_block_bytes, k_block_bytes, 2);
        }
        for (std::uint64_t i = 6; i < 8 && round < 2; ++i)
            add("free_completed", k_segment + i * k_block_bytes, k_block_bytes, 2);
    }
    Json blocks = {{{"address", k_segment}, {"size", 6 * k_block_bytes}, {"state", "inactive"}}};
    for (std::uint64_t i = 6; i < 8; ++i)
        blocks.push_back({{"address", k_segment + i * k_block_bytes},
                          {"size", k_block_bytes},
                          {"requested_size", k_block_bytes - 100},
                          {"state", "active_allocated"},
                          {"frames", frames(static_cast<int>(i))}});
    blocks.push_back(
        {{"address", k_segment + 8 * k_block_bytes}, {"size", k_segment_bytes - 8 * k_block_bytes}, {"state", "inactive"}});
    Json segments = {{{"device", 0},
                      {"address", k_segment},
                      {"total_size", k_segment_bytes},
                      {"allocated_size", 2 * k_block_bytes},
                      {"active_size", 2 * k_block_bytes},
                      {"stream", 0},
                      {"segment_type", "large"},
                      {"segment_pool_id", {0, 0}},
                      {"frames", frames(1)},
                      {"blocks", blocks}}};
    const Json snapshot = {
        {"segments", segments},
        {"device_traces", {events}},
        {"allocator_settings",
         {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:False,max_split_size_mb:64"}, {"expandable_segments", false}}},
        {"external_annotations",
         {{{"stage", "START"}, {"name", "## a phase of the training ##"}, {"device", 0}, {"time_us", 1'700'000'000'001'000}},
          {{"stage", "END"},
           {"name", "## a phase of the training ##"},
           {"device", 0},
           {"time_us", 1'700'000'000'003'000}}}}};
    return snapshot.dump();
}

std::string snapviewer_zip() {
    std::string allocations, elements;
    for (int i = 0; i < 20; ++i) {
        const std::string step = std::to_string(i);
        allocations += (i == 0 ? "[" : ",") + std::string(R"({"timesteps": [)") + step + ", " + std::to_string(i + 3) +
                       R"(], "offsets": [0, 0], "size": 512})";
        elements += (i == 0 ? "[" : ",") +
                    std::string(R"({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": )") +
                    R"([{"filename": "/home/me/model.py", "line": 3, "name": "forward"}]})";
    }
    return ZipText().member("allocations.json", allocations + "]").member("elements.json", elements + "]").bytes();
}

constexpr const char* k_ascend_profile =
    "CREATE TABLE STRING_IDS (id INTEGER, value TEXT);"
    "INSERT INTO STRING_IDS VALUES (1, 'aten::empty_strided_tensor'), (3, 'PTA');"
    "CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime, activeReleaseTime, duration, activeDuration,"
    "allocationTotalAllocated, allocationTotalReserved, allocationTotalActive, releaseTotalAllocated,"
    "releaseTotalReserved, releaseTotalActive, streamPtr, deviceId);"
    "CREATE TABLE MEMORY_RECORD (component, timestamp, totalAllocated, totalReserved, totalActive, deviceId);"
    "INSERT INTO MEMORY_RECORD VALUES (3, 1000, 512, 8192, 512, 0), (3, 90000, 512, 8192, 512, 0);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) INSERT INTO OP_MEMORY "
    "SELECT 1, 512, i * 1000, i * 1000 + 5000, NULL, 1, 1, 512, 2048, 512, 0, 2048, 0, 2, 0 FROM n";

const std::string k_memory_report =
    std::string(k_memory_report_tables) +
    "INSERT INTO entry_types VALUES (1, 'Weight'), (2, 'Activation');"
    "INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 1 << 40);"
    "INSERT INTO activation_entries VALUES (1, 'an operation of the forward pass', 512), (2, 'op', 1024);"
    "INSERT INTO stack_correlation VALUES (1, 1, 2), (2, 2, 2);"
    "INSERT INTO stack_frames VALUES (1, 0, '/home/me/model/a_long_name.py', 7), (2, 0, 'f.py', 9)";

constexpr const char* k_insight =
    "CREATE TABLE dictionary (`table` TEXT, `column` TEXT, `key` TEXT, `value` TEXT);"
    "INSERT INTO dictionary VALUES ('trace_entry_0', 'action', '4', 'alloc'),"
    "('trace_entry_0', 'action', '6', 'free_completed'), ('block_0', 'state', '1', 'active_allocated');"
    "CREATE TABLE block_0 (id INTEGER PRIMARY KEY, address, size, requestedSize, state, allocEventId, freeEventId);"
    "CREATE TABLE trace_entry_0 (id INTEGER PRIMARY KEY, action, address, size, stream, allocated, active, reserved, "
    "callstack);"
    "INSERT INTO trace_entry_0 VALUES (1, 4, 4096, 512, 0, 512, 512, 4096, '/home/me/model.py:7 forward'),"
    "(2, 6, 4096, 512, 0, 512, 512, 4096, '/home/me/model.py:7 forward')";

/// Queries without REGEXP, whose library leaks when it is out of memory.
constexpr const char* k_queries[] = {
    "SELECT * FROM events",
    "SELECT size, count(*), human(sum(size)), group_concat(stack_id) FROM allocations GROUP BY 1 ORDER BY 2 DESC, 1",
    "SELECT * FROM frames WHERE file GLOB '*layer_[0-3]*' AND function LIKE '%forward%' ORDER BY id",
    "SELECT upper(replace('a text that is long enough', 'long', 'very long')), instr('abc', 'c')",
    "SELECT a.id, b.id FROM allocations a JOIN events b ON a.alloc_event = b.id ORDER BY a.size, a.id",
    "SELECT value FROM json_each('[1, 2, \"a text that is long enough\"]')",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 50) SELECT sum(i) FROM n",
    "SELECT * FROM findings",
    "SELECT * FROM call_tree(7)",
};

/// The files that the doors open. All are written when the first door is created.
class Files {
public:
    Files() {
        const std::string pickle = TrainingPickle(1).bytes(), json = json_snapshot();
        for (const auto& [name, bytes] :
             std::initializer_list<std::pair<const char*, std::string>>{{"pickle", pickle},
                                                                        {"json", json},
                                                                        {"gzip", packed::gzipped(json)},
                                                                        {"zstd", packed::zstd(json)},
                                                                        {"xz", packed::xz(json)},
                                                                        {"lzma", packed::lzma(json)},
                                                                        {"bzip2", packed::bzip2(json)},
                                                                        {"page", packed::page(pickle)},
                                                                        {"zip", ZipText().member("a.json", json).bytes()},
                                                                        {"snapviewer", snapviewer_zip()}})
            write(name, bytes);
        for (const auto& [name, sql] :
             {std::pair{"ascend", k_ascend_profile}, {"memory_report", k_memory_report.c_str()}, {"insight", k_insight}}) {
            const WrittenDatabase written(path(name), sql);
            names.emplace_back(name);
        }
    }
    std::string path(const std::string& name) const { return folder_.file(name); }

    std::vector<std::string> names;

private:
    void write(const std::string& name, const std::string& bytes) {
        std::ofstream(path(name), std::ios::binary) << bytes;
        names.push_back(name);
    }

    TestFolder folder_;
};

const Files& files() {
    static const Files all;
    return all;
}

DocumentPointer open(const std::string& name) {
    Progress progress;
    return open_document(files().path(name), {}, progress).value();
}

const DocumentPointer& opened() {
    static const DocumentPointer document = open("json");
    return document;
}

Result<std::string> facts_of(const std::string& path, Progress& progress) {
    const auto document = open_document(path, {}, progress);
    if (!document) return document.error();
    return caught(&progress, [&] {
        const Snapshot& snapshot = *(*document)->snapshot;
        std::string facts = fmt::format("{} frames, {} segments", snapshot.stacks.frame_count(), snapshot.segments.size());
        for (const DeviceView& device : (*document)->devices)
            facts +=
                fmt::format("; {} events, peak {}", device.timeline->trace().events.size(), device.timeline->peak_bytes());
        for (const ImportEntry& entry : snapshot.log.entries()) facts += "; " + entry.message;
        for (const sqlite::TableDoc& table : (*document)->database->schema()) facts += "; " + table.name;
        return facts;
    });
}

Result<std::string> rows_of(const char* sql, Progress& progress) {
    return caught(&progress, [&] {
        return query::format_result(value_or_throw(opened()->database->run(sql, {.progress = &progress})),
                                    query::TableFormat::csv);
    });
}

struct CountedRows final : query::BatchSink {
    void begin(std::span<const std::string> columns) override { column_count = columns.size(); }
    bool batch(query::RowBatch batch) override {
        row_count += batch.row_count;
        return true;
    }
    std::size_t column_count = 0, row_count = 0;
};

Result<std::string> rows_of_table(Progress& progress) {
    CountedRows rows;
    const Status scanned =
        caught(&progress, [&] { throw_if_error(opened()->database->scan_table("allocations", &progress, rows)); });
    if (!scanned) return scanned.error();
    return std::to_string(rows.column_count) + "*" + std::to_string(rows.row_count);
}

/// A door to an analysis. It uses its own analyses and asks twice, because a failure must not be cached.
template <typename Ask>
Result<std::string> answer(Progress& progress, const std::string& expected, Ask ask) {
    std::shared_ptr<const findings::Analyses> analyses;
    const auto asked = [&]() -> std::string {
        const DocumentPointer& document = opened();
        if (!analyses) analyses = make_analyses(*document, {});
        return ask(analyses->device(0));
    };
    Result<std::string> first = caught(&progress, asked);
    if (first) return first;
    const auto second = caught(asked);
    if (second && *second != expected) throw std::runtime_error("a failed answer was kept");
    return first;
}

/// A door that writes a file.
template <typename Write>
Door written(const char* name, const char* file, Write write) {
    return {name, [path = files().path(file), write](Progress& progress) -> Result<std::string> {
                return caught(&progress, [&] {
                    throw_if_error(write(path, progress));
                    return std::string(std::filesystem::exists(path) ? "written" : "not written");
                });
            }};
}

Result<fleet::Fleet> read_three(Progress& progress) {
    static const std::vector<std::string> paths = {files().path("pickle"), files().path("json"), files().path("zip")};
    return caught(&progress, [&] {
        const auto found = value_or_throw(fleet::find_fleet_files(paths, "", progress));
        fleet::Fleet fleet;
        std::string failed;
        throw_if_error(fleet::read_fleet(found, {.step_stacks = true, .totals = true}, progress,
                                         [&](std::size_t, fleet::FileSummary summary) {
                                             for (const fleet::RankSummary& rank : summary.ranks) failed += rank.row.error;
                                             fleet.add(summary);
                                             return Status();
                                         }));
        if (!failed.empty()) throw Failure{{ErrorCode::memory, failed}};
        return fleet;
    });
}

Result<std::string> fleet(Progress& progress) {
    const auto fleet = read_three(progress);
    if (!fleet) return fleet.error();
    return caught(&progress, [&] { return fleet::fleet_text(*fleet); });
}

Result<std::string> fleet_as_json(Progress& progress) {
    const auto fleet = read_three(progress);
    if (!fleet) return fleet.error();
    return caught(&progress, [&] { return fleet::fleet_json(*fleet).dump(); });
}

/// Converts an error of the C interface, whose codes do not distinguish memory from limits.
Error error_in(const sv_error& error) {
    return {error.code == SV_UNSUPPORTED || error.code == SV_ENVIRONMENT ? ErrorCode::memory : ErrorCode::bad_file,
            error.message};
}

struct OpenedByC {
    sv_document number = 0;
    ~OpenedByC() { sv_close(number, nullptr); }
};

Result<std::string> ask_c_interface(Progress&) {
    sv_error error{};
    OpenedByC document;
    static const std::string path = files().path("json");
    if (sv_open(SV_ABI_VERSION, path.c_str(), nullptr, nullptr, nullptr, &document.number, &error) != SV_OK)
        return error_in(error);
    std::string text;
    ArrowArrayStream stream{};
    if (sv_query(document.number, "SELECT id, size FROM allocations WHERE size > ?", "[7]", 0, nullptr, nullptr, &stream,
                 &error) != SV_OK)
        return error_in(error);
    ArrowSchema schema{};
    ArrowArray batch{};
    int status = stream.get_schema(&stream, &schema);
    if (status == 0) schema.release(&schema);
    for (bool is_over = false; status == 0 && !is_over;) {
        batch = {};
        status = stream.get_next(&stream, &batch);
        is_over = batch.release == nullptr;
        if (is_over) break;
        text += std::to_string(batch.length);
        batch.release(&batch);
    }
    stream.release(&stream);
    if (status != 0)
        return Error{status == ENOMEM || status == EINVAL ? ErrorCode::memory : ErrorCode::bad_file, "a stream failed"};
    return text;
}

std::vector<Door> make_doors() {
    std::vector<Door> all;
    for (const std::string& name : files().names)
        all.push_back(
            {"open " + name, [path = files().path(name)](Progress& progress) { return facts_of(path, progress); }});
    for (const char* sql : k_queries)
        all.push_back({std::string("query ") + sql, [sql](Progress& progress) { return rows_of(sql, progress); }});
    all.push_back({"scan_table", rows_of_table});
    const auto add_answer = [&](const char* name, std::string (*ask)(findings::DeviceAnalyses&)) {
        Progress none;
        const std::string expected = answer(none, "", ask).value();
        all.push_back({name, [ask, expected](Progress& progress) { return answer(progress, expected, ask); }});
        all.back().makes_json = expected.starts_with('{');
    };
    add_answer("report as text", [](findings::DeviceAnalyses& device) { return report::device_report_text(device); });
    add_answer("report as JSON", [](findings::DeviceAnalyses& device) { return report::device_report_json(device).dump(); });
    add_answer("layout", [](findings::DeviceAnalyses& device) { return report::layout_json(device, 20).dump(); });
    add_answer("compare", [](findings::DeviceAnalyses& device) {
        return report::compare_text(device, device, compare::CompareBy{}, compare::CompareBasis{});
    });
    add_answer("replay", [](findings::DeviceAnalyses& device) {
        return replay::replay_json(replay::replay_report(device.snapshot(), device.trace(), {}), "name").dump();
    });
    all.push_back({"another view", [](Progress& progress) -> Result<std::string> {
                       const auto view = build_view(*opened(), 0, ViewKind::segments, progress);
                       if (!view) return view.error();
                       return std::to_string(view->timeline->peak_bytes());
                   }});
    all.push_back({"fleet", fleet});
    all.push_back({"fleet as JSON", fleet_as_json, false, true});
    all.push_back(written("export a database", "out.db", [](const std::string& path, Progress& progress) {
        return exports::export_database(*opened()->database, *opened()->snapshot, 0, path, progress);
    }));
    all.push_back(written("export a zip", "out.zip", [](const std::string& path, Progress& progress) {
        return exports::export_snapviewer_zip(*opened()->devices[0].timeline, path, progress);
    }));
    all.push_back(written("export a folder", "out", [](const std::string& path, Progress& progress) {
        return exports::export_snapviewer_folder(*opened()->devices[0].timeline, path, progress);
    }));
    all.push_back(written("pack", "out.zst", [](const std::string& path, Progress& progress) -> Status {
        static const std::string packed = files().path("gzip");
        OutputFile out = value_or_throw(OutputFile::create(path));
        value_or_throw(exports::pack_snapshot(packed, out, exports::k_default_pack_level, progress));
        return out.commit();
    }));
    all.push_back({"C interface", ask_c_interface, true});
    return all;
}

}  // namespace
}  // namespace doors_list

const std::vector<Door>& doors() {
    static const std::vector<Door> all = doors_list::make_doors();
    return all;
}

}  // namespace snapviewer::test
