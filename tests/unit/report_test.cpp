// Tests of Skyline's and DeepView's reports. The expected values of these small reports were computed by hand.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/analysis/stacks/icicle.h"
#include "core/load/profilers/reports.h"
#include "core/load/read_database.h"
#include "core/sqlite/connection.h"
#include "core/timeline/timeline.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

constexpr const char* k_memory_tables =
    "CREATE TABLE weight_entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size_bytes INTEGER NOT NULL,"
    " grad_size_bytes INTEGER NOT NULL);"
    "CREATE TABLE activation_entries (id INTEGER PRIMARY KEY, operation_name TEXT NOT NULL, size_bytes INTEGER NOT NULL);"
    "CREATE TABLE stack_correlation (correlation_id INTEGER PRIMARY KEY, entry_id INTEGER NOT NULL,"
    " entry_type INTEGER NOT NULL);"
    "CREATE TABLE stack_frames (correlation_id INTEGER NOT NULL, ordering INTEGER NOT NULL, file_path TEXT NOT NULL,"
    " line_number INTEGER NOT NULL);"
    "CREATE TABLE misc_sizes (key TEXT PRIMARY KEY, size_bytes INT NOT NULL);";

/// A report with two weights (one frozen) and four activations, of which one keeps no memory. The peak is 1,000 above the
/// sum.
const std::string k_small_report = std::string(k_memory_tables) +
                                   "INSERT INTO weight_entries VALUES (1, 'weight', 100, 100), (2, 'bias', 10, 0);"
                                   "INSERT INTO activation_entries VALUES (1, 'loss', 1000), (2, 'view', 0),"
                                   " (3, 'linear', 300), (4, 'embedding', 200);"
                                   "INSERT INTO stack_correlation VALUES (1, 1, 1), (2, 2, 1), (3, 1, 2), (4, 2, 2),"
                                   " (5, 3, 2), (6, 4, 2);"
                                   "INSERT INTO stack_frames VALUES (1, 0, 'a.py', 1), (2, 0, 'a.py', 1),"
                                   " (3, 0, 'm.py', 9), (4, 0, 'm.py', 8), (5, 1, 'm.py', 7), (5, 0, 'net/b.py', 5),"
                                   " (6, 0, 'm.py', 6);"
                                   "INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 2710);";

constexpr const char* k_run_time_tables =
    "CREATE TABLE run_time_entries (id INTEGER PRIMARY KEY, operation_name TEXT NOT NULL, forward_ms REAL NOT NULL,"
    " backward_ms REAL);"
    "CREATE TABLE stack_frames (ordering INTEGER NOT NULL, file_path TEXT NOT NULL, line_number INTEGER NOT NULL,"
    " entry_id INTEGER NOT NULL);";

/// The operations of k_small_report, and one without a backward pass.
const std::string k_small_run_time =
    std::string(k_run_time_tables) +
    "INSERT INTO run_time_entries VALUES (1, 'embedding', 1, 2), (2, 'arange', 0.5, NULL), (3, 'linear', 4, 8),"
    " (4, 'view', 0.25, 0.25), (5, 'loss', 2, 1);"
    "INSERT INTO stack_frames VALUES (0, 'm.py', 6, 1), (0, 'm.py', 6, 2), (0, 'net/b.py', 5, 3), (1, 'm.py', 7, 3),"
    " (0, 'm.py', 8, 4), (0, 'm.py', 9, 5);";

/// RAII: a report on the disk.
class ScratchDatabase {
public:
    explicit ScratchDatabase(const std::string& sql) { const WrittenDatabase written(path(), sql); }
    std::string path() const { return folder_.file("report.db"); }

private:
    TestFolder folder_;
};

std::shared_ptr<sqlite::SqliteFile> open(const ScratchDatabase& database) {
    auto file = sqlite::SqliteFile::open(database.path());
    EXPECT_TRUE(file.ok());
    return *file;
}

profilers::LoadedFile load(const std::string& sql, load::ReadDatabase read) {
    const ScratchDatabase database(sql);
    auto snapshot = std::make_shared<Snapshot>();
    profilers::LoadedFile loaded;
    read(open(database), *snapshot, loaded);
    loaded.snapshot = std::move(snapshot);
    return loaded;
}

profilers::LoadedFile load_memory(const std::string& sql) { return load(sql, profilers::read_memory_report); }

profilers::LoadedFile load_run_time(const std::string& sql) { return load(sql, profilers::read_run_time_report); }

Timeline timeline_of(const profilers::LoadedFile& loaded) { return Timeline::build(loaded.snapshot, 0); }

std::string category_of(const Snapshot& snapshot, std::uint32_t allocation) {
    const DeviceTrace& trace = snapshot.devices[0];
    const MetadataId metadata = trace.events.metadata[trace.allocations.alloc_event[allocation].value];
    return std::string(snapshot.strings.view(snapshot.metadata[metadata.value].category));
}

bool has_entry(const Snapshot& snapshot, std::string_view code) {
    return std::ranges::any_of(snapshot.log.entries(), [&](const auto& entry) { return entry.code == code; });
}

/// Describes every allocation, in steps: "category size [start, end) stack".
std::vector<std::string> describe(const profilers::LoadedFile& loaded) {
    const Timeline timeline = timeline_of(loaded);
    const Snapshot& snapshot = *loaded.snapshot;
    std::vector<std::string> lines;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const AllocationColumns& columns = timeline.trace().allocations;
        lines.push_back(category_of(snapshot, i) + " " + std::to_string(columns.size_bytes[i]) + " [" +
                        std::to_string(timeline.start_step(AllocationId{i})) + ", " +
                        std::to_string(timeline.end_step(AllocationId{i})) + ") " +
                        stack_text(snapshot.strings, snapshot.stacks, columns.stack[i]));
    }
    return lines;
}

TEST(MemoryReport, IsDrawnAsAPyramidOverTheWeights) {
    const profilers::LoadedFile loaded = load_memory(k_small_report);
    EXPECT_EQ(loaded.snapshot->kind, FileKind::memory_report);
    EXPECT_EQ(describe(loaded), (std::vector<std::string>{
                                    "weight 100 [0, 8) a.py:1:weight", "weight 10 [0, 8) a.py:1:bias",
                                    "gradient 100 [0, 8) a.py:1:weight", "activation 200 [0, 8) m.py:6:embedding",
                                    "activation 300 [1, 7) net/b.py:5:linear\nm.py:7:", "activation 1000 [2, 6) m.py:9:loss",
                                    "untracked 1000 [3, 5) (no source):0:untracked"}));
    const Timeline timeline = timeline_of(loaded);
    EXPECT_EQ(timeline.peak_bytes(), 2710);
    EXPECT_FALSE(timeline.has_times());
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        EXPECT_EQ(timeline.path(AllocationId{i}).size(), 2) << "every polygon is a rectangle: lives nest";
    }
    EXPECT_EQ(timeline.trace().allocations.origin.back(), Origin::derived);
}

TEST(MemoryReport, IcicleShowsTheSharesOfThePeak) {
    const profilers::LoadedFile loaded = load_memory(k_small_report);
    const std::vector<stacks::Icicle> icicles = stacks::build_icicles(loaded.icicles);
    ASSERT_EQ(icicles.size(), 1);
    const stacks::Icicle& icicle = icicles[0];
    EXPECT_EQ(icicle.leaf_of(AllocationId{4}), icicle.leaf_of(4)) << "the rows are the allocations";
    EXPECT_EQ(icicle.total, 2710);
    ASSERT_EQ(icicle.level_ends[0], 3);
    EXPECT_EQ(icicle.nodes[0].label + icicle.nodes[1].label + icicle.nodes[2].label, "WeightsActivationsUntracked");
    EXPECT_EQ(icicle.nodes[0].width, 210);
    EXPECT_EQ(icicle.nodes[1].width, 1500);
    EXPECT_EQ(icicle.nodes[2].width, 1000);
    // Both weights are created on one line, and a gradient belongs to its weight.
    const stacks::IcicleNode& weights = icicle.nodes[*icicle.pick(0, 1)];
    EXPECT_EQ(weights.label, "weight, bias");
    EXPECT_EQ(weights.entry_count, 3);
    EXPECT_EQ(icicle.nodes[*icicle.pick(210, 1)].label, "loss") << "the largest first";
    EXPECT_EQ(icicle.nodes[*icicle.leaf_of(4)].place, (SourceLine{"net/b.py", 5}));
}

TEST(MemoryReport, PeakBelowTheSumLeavesNothingUntracked) {
    const profilers::LoadedFile loaded = load_memory(k_small_report + "UPDATE misc_sizes SET size_bytes = 1000;");
    EXPECT_TRUE(has_entry(*loaded.snapshot, "report_peak_too_small"));
    EXPECT_EQ(timeline_of(loaded).peak_bytes(), 1710);
    ASSERT_EQ(loaded.snapshot->devices[0].levels.size(), 1);
    EXPECT_EQ(loaded.snapshot->devices[0].levels[0].bytes, 1000);
    EXPECT_EQ(stacks::build_icicles(loaded.icicles)[0].level_ends[0], 2);
}

TEST(MemoryReport, OddRowsAreLeftOutOfThePictureAndSaid) {
    const profilers::LoadedFile loaded =
        load_memory(k_small_report +
                    "UPDATE activation_entries SET size_bytes = -4096 WHERE id = 3;"
                    "UPDATE activation_entries SET size_bytes = 9223372036854775807 WHERE id = 2;"
                    "DELETE FROM stack_correlation WHERE correlation_id = 3;"
                    "INSERT INTO stack_correlation VALUES (900, 77, 3);"
                    "INSERT INTO stack_frames VALUES (6, 0, 'late.py', 1), (555, 0, 'orphan.py', 2);"
                    "UPDATE weight_entries SET name = char(10) || 'w' WHERE id = 1; UPDATE weight_entries SET name = ''"
                    " WHERE id = 2; DELETE FROM misc_sizes;");
    EXPECT_EQ(describe(loaded),
              (std::vector<std::string>{
                  "weight 100 [0, 4) a.py:1: w", "weight 10 [0, 4) a.py:1:(unnamed)", "gradient 100 [0, 4) a.py:1: w",
                  "activation 200 [0, 4) m.py:6:embedding\nlate.py:1:", "activation 1000 [1, 3) (no source):0:loss"}));
    for (const char* code : {"report_odd_size", "report_no_source", "report_entry_type", "report_no_peak"}) {
        EXPECT_TRUE(has_entry(*loaded.snapshot, code)) << code;
    }
}

TEST(MemoryReport, TablesMayBeMissingOrEmpty) {
    const profilers::LoadedFile weights = load_memory(
        "CREATE TABLE Weight_Entries (id, NAME, size_bytes); INSERT INTO weight_entries VALUES (1, 'weight', '512');");
    EXPECT_EQ(describe(weights), (std::vector<std::string>{"weight 512 [0, 1) (no source):0:weight"}));
    EXPECT_TRUE(has_entry(*weights.snapshot, "report_table_missing"));
    EXPECT_TRUE(has_entry(*weights.snapshot, "report_column_missing"));

    const profilers::LoadedFile empty = load_memory(k_memory_tables);
    EXPECT_TRUE(empty.snapshot->devices.empty());
    EXPECT_TRUE(stacks::build_icicles(empty.icicles)[0].nodes.empty());
    EXPECT_TRUE(has_entry(*empty.snapshot, "report_empty"));
}

TEST(MemoryReport, DetailsNameTheRow) {
    const profilers::LoadedFile loaded = load_memory(k_small_report);
    const auto sections = loaded.details->details(0, AllocationId{4});
    ASSERT_TRUE(sections.ok());
    ASSERT_EQ(sections->size(), 1);
    const auto& rows = sections->front().rows;
    EXPECT_NE(std::ranges::find(rows, std::pair<std::string, std::string>{"row", "activation_entries 3"}), rows.end());
    EXPECT_NE(std::ranges::find(rows, std::pair<std::string, std::string>{"forward order", "2 of 4"}), rows.end());
}

TEST(RunTimeReport, RunsForwardAndThenBackwardInReverse) {
    const profilers::LoadedFile loaded = load_run_time(k_small_run_time);
    EXPECT_EQ(loaded.snapshot->kind, FileKind::run_time_report);
    EXPECT_TRUE(loaded.snapshot->devices.empty());
    const std::vector<stacks::Icicle> icicles = stacks::build_icicles(loaded.icicles);
    ASSERT_EQ(icicles.size(), 3);
    const stacks::Icicle& icicle = icicles[0];
    EXPECT_EQ(icicle.total, 7.75 + 11.25);
    std::vector<std::string> leaves;
    for (const std::uint32_t node : icicle.entry_nodes) leaves.push_back(icicle.nodes[node].label);
    EXPECT_EQ(leaves, (std::vector<std::string>{"embedding", "arange", "linear", "view", "loss", "loss", "view", "linear",
                                                "embedding"}));
    EXPECT_EQ(icicle.nodes[icicle.entry_nodes[0]].twin, icicle.entry_nodes[8]);
    EXPECT_EQ(icicle.nodes[icicle.entry_nodes[1]].twin, stacks::IcicleNode::k_none);
    EXPECT_EQ(icicle.nodes[icicle.entry_nodes[5]].start, 7.75);
    const stacks::Icicle& source = icicles[2];
    EXPECT_EQ(source.total, 19);
    EXPECT_EQ(source.nodes[*source.pick(0, 1)].label, "linear");
    EXPECT_EQ(source.nodes[*source.pick(0, 1)].width, 12);
}

TEST(RunTimeReport, OddTimesAreKeptWithoutWidth) {
    const profilers::LoadedFile loaded =
        load_run_time(k_small_run_time +
                      "UPDATE run_time_entries SET forward_ms = -1 WHERE id = 1; UPDATE run_time_entries SET backward_ms ="
                      " 9e999 WHERE id = 3; DELETE FROM stack_frames WHERE entry_id = 4;");
    EXPECT_EQ(stacks::build_icicles(loaded.icicles)[0].total, 0.5 + 4 + 0.25 + 2 + 1 + 0.25 + 2);
    EXPECT_EQ(stacks::build_icicles(loaded.icicles)[0].entries.size(), 9);
    EXPECT_TRUE(has_entry(*loaded.snapshot, "report_odd_time"));
    EXPECT_TRUE(has_entry(*loaded.snapshot, "report_no_source"));
    EXPECT_TRUE(has_entry(*load_run_time(k_run_time_tables).snapshot, "report_empty"));
}

Result<profilers::LoadedFile> load_together(const std::string& path, const std::string& with, Progress& progress) {
    const Result<load::DatabasePair> pair = load::open_pair(path, with, progress);
    return pair ? load::load_pair(*pair) : pair.error();
}

/// RAII: counts how often each database is opened.
class OpeningCounter {
public:
    OpeningCounter() {
        s_counts.clear();
        s_real_open = opener();
        opener() = open;
    }
    ~OpeningCounter() { opener() = s_real_open; }
    OpeningCounter(const OpeningCounter&) = delete;
    OpeningCounter& operator=(const OpeningCounter&) = delete;
    int of(const std::string& path) const { return s_counts[std::filesystem::canonical(path).string()]; }

private:
    using Open = decltype(sqlite3_vfs::xOpen);

    static Open& opener() { return sqlite3_vfs_find(sqlite::pathless_vfs())->xOpen; }
    /// The path of a database. SQLite receives only the number of a descriptor.
    static std::string path_of(std::string number) {
        number.erase(0, number.find_first_not_of('/'));
        std::error_code failed;
        return std::filesystem::read_symlink("/proc/self/fd/" + number, failed).string();
    }
    static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
        if (name != nullptr && (flags & SQLITE_OPEN_MAIN_DB) != 0) ++s_counts[path_of(name)];
        return s_real_open(vfs, name, file, flags, out_flags);
    }

    static inline std::map<std::string, int> s_counts;
    static inline Open s_real_open = nullptr;
};

TEST(ReportPair, OpensEachOfTheTwoOnce) {
    const ScratchDatabase memory(k_small_report);
    const ScratchDatabase run_time(k_small_run_time);
    ASSERT_NE(memory.path(), run_time.path());
    Progress progress;
    if (!std::filesystem::exists("/proc/self/fd")) GTEST_SKIP() << "the system does not tell which files are open";
    const OpeningCounter openings;
    const auto loaded = load_together(run_time.path(), memory.path(), progress);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(openings.of(memory.path()), 1);
    EXPECT_EQ(openings.of(run_time.path()), 1);
}

TEST(ReportPair, DrawsMemoryOverMeasuredTimes) {
    const ScratchDatabase memory(k_small_report);
    const ScratchDatabase run_time(k_small_run_time);
    Progress progress;
    const auto loaded = load_together(run_time.path(), memory.path(), progress);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(stacks::build_icicles(loaded->icicles).size(), 4);
    const Timeline timeline = timeline_of(*loaded);
    ASSERT_TRUE(timeline.has_times());
    const auto life = [&](std::uint32_t id) {
        return std::pair(timeline.tick_times_us()[timeline.first_tick(AllocationId{id})],
                         timeline.tick_times_us()[timeline.last_tick(AllocationId{id})]);
    };
    // The forward passes end at: embedding 1, arange 1.5, linear 5.5, view 5.75, loss 7.75. The backward passes end at: loss
    // 8.75, view 9, linear 17, embedding 19.
    EXPECT_EQ(life(0), std::pair(std::int64_t{0}, std::int64_t{19000})) << "a weight";
    EXPECT_EQ(life(3), std::pair(std::int64_t{1000}, std::int64_t{19000}));
    EXPECT_EQ(life(4), std::pair(std::int64_t{5500}, std::int64_t{17000}));
    EXPECT_EQ(life(5), std::pair(std::int64_t{7750}, std::int64_t{8750}));
    EXPECT_EQ(life(6), std::pair(std::int64_t{7750}, std::int64_t{8750})) << "untracked, at the turn";
}

TEST(ReportPair, TimeAndBytesKnowEachOther) {
    const ScratchDatabase memory(k_small_report);
    const ScratchDatabase run_time(k_small_run_time);
    Progress progress;
    const auto loaded = load_together(memory.path(), run_time.path(), progress);
    ASSERT_TRUE(loaded.ok());
    // The allocations are the weights 0 to 2, the activations of embedding, linear and loss, and untracked memory. arange
    // and view keep no memory.
    const std::vector<stacks::Icicle> icicles = stacks::build_icicles(loaded->icicles);
    for (std::size_t i = 1; i < icicles.size(); ++i) {
        const stacks::Icicle& icicle = icicles[i];
        const auto leaf = icicle.leaf_of(AllocationId{4});
        ASSERT_TRUE(leaf) << icicle.name;
        EXPECT_EQ(icicle.nodes[*leaf].label, "linear") << icicle.name;
        EXPECT_EQ(icicle.allocations_of(icicle.nodes[*leaf]), (std::vector<AllocationId>{AllocationId{4}}));
        EXPECT_EQ(icicle.leaf_of(AllocationId{0}), std::nullopt) << "a weight takes no time";
        EXPECT_EQ(icicle.leaf_of(AllocationId::none()), std::nullopt);
        std::vector<AllocationId> all = icicle.allocations_of(icicle.nodes[0]);
        std::ranges::sort(all, {}, &AllocationId::value);
        EXPECT_EQ(all, (std::vector<AllocationId>{AllocationId{3}, AllocationId{4}, AllocationId{5}})) << icicle.name;
    }
}

TEST(ReportPair, OfDifferentModelsIsRefused) {
    const ScratchDatabase memory(k_small_report);
    const ScratchDatabase run_time(k_small_run_time + "UPDATE stack_frames SET line_number = 999 WHERE entry_id = 3;");
    Progress progress;
    const auto loaded = load_together(memory.path(), run_time.path(), progress);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_file);
    EXPECT_NE(loaded.error().message.find(" 3 of 4 "), std::string::npos) << loaded.error().message;
    const auto same = load_together(memory.path(), memory.path(), progress);
    ASSERT_FALSE(same.ok());
    EXPECT_EQ(same.error().code, ErrorCode::bad_file);
    EXPECT_NE(same.error().message.find(memory.path()), std::string::npos) << same.error().message;
}

TEST(ReportPair, MatchesRepeatedCallsInTheirOrderAndNeighboursStandIn) {
    const std::vector<SourceLine> line = {{"m.py", 1}};
    std::vector<profilers::ActivationRow> activations = {{9, "mul", 1, line}, {8, "new", 1, line}, {7, "mul", 1, line}};
    const std::vector<profilers::OperationRow> operations = {
        {1, "mul", 1, 1.0, line}, {2, "mul", 1, std::nullopt, line}, {3, "mul", 1, 3.0, line}};
    const auto matches = profilers::match_operations(activations, operations);
    EXPECT_EQ(matches, (std::vector<std::optional<std::size_t>>{0, std::nullopt, 2}));
    const profilers::IterationTimes times = profilers::measure_iteration(activations, matches, operations);
    EXPECT_EQ(times.activations[0].start_ms, 1);
    EXPECT_EQ(times.activations[1].start_ms, 1);
    EXPECT_EQ(times.activations[2].start_ms, 3);
    EXPECT_EQ(times.activations[2].end_ms, 6);
    EXPECT_EQ(times.activations[1].end_ms, 7);
    EXPECT_EQ(times.activations[0].end_ms, 7);
    EXPECT_EQ(times.end_ms, 7);
}

}  // namespace
}  // namespace snapviewer
