#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "core/document/document.h"
#include "core/load/formats.h"
#include "core/load/read_database.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

// Names of formats as in the table of formats.
constexpr std::string_view k_memory_report = "Skyline and DeepView memory report";
constexpr std::string_view k_run_time_report = "Skyline and DeepView run-time report";
constexpr std::string_view k_ascend = "Ascend PyTorch profiler database";
constexpr std::string_view k_msprof = "msprof database";
constexpr std::string_view k_msmemscope = "msMemScope database: memscope_dump or the older leaks_dump";
constexpr std::string_view k_insight = "MindStudio Insight's database of a snapshot (X.pkl.db)";
constexpr std::string_view k_exported = "database exported by snapviewer";
constexpr std::string_view k_other = "any other SQLite database";

/// The name of the format that recognises a database with these tables.
std::string_view format_of(const std::string& sql) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), sql); }
    const auto file = load::FileOnDisk::open(folder.file("a.db"));
    const auto bytes = file->bytes().bytes();
    load::Input input;
    input.front = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    input.file = file.get();
    const auto found =
        std::ranges::find_if(load::formats(), [&](const load::Format& format) { return format.looks_like(input); });
    return found == load::formats().end() ? "" : found->name;
}

TEST(LoadDatabase, KindsAreToldByTheirTables) {
    EXPECT_EQ(format_of("CREATE TABLE Weight_Entries (x); CREATE TABLE stack_frames (x)"), k_memory_report);
    EXPECT_EQ(format_of("CREATE TABLE activation_entries (x)"), k_memory_report);
    EXPECT_EQ(format_of("CREATE TABLE run_time_entries (x); CREATE TABLE stack_frames (x)"), k_run_time_report);
    EXPECT_EQ(format_of("CREATE TABLE op_memory (x)"), k_ascend);
    EXPECT_EQ(format_of("CREATE TABLE MEMORY_RECORD (x); CREATE TABLE NPU_MEM (x)"), k_ascend);
    EXPECT_EQ(format_of("CREATE TABLE PYTORCH_API (x); CREATE TABLE STRING_IDS (x)"), k_ascend);
    EXPECT_EQ(format_of("CREATE TABLE NPU_OP_MEM (x); CREATE TABLE STRING_IDS (x)"), k_msprof);
    EXPECT_EQ(format_of("CREATE TABLE Trace_Entry_0 (x); CREATE TABLE block_0 (x)"), k_insight);
    EXPECT_EQ(format_of("CREATE TABLE trace_entry_12 (x)"), k_insight);
    EXPECT_EQ(format_of("CREATE TABLE trace_entry (x); CREATE TABLE block (x)"), k_insight);
    EXPECT_EQ(format_of("CREATE TABLE trace_entry (x)"), k_other);
    EXPECT_EQ(format_of("CREATE TABLE trace_entry_1x (x); CREATE TABLE block_0 (x)"), k_other);
    EXPECT_EQ(format_of("CREATE TABLE allocations (x); CREATE TABLE events (x); CREATE TABLE import_log (x)"), k_exported);
    EXPECT_EQ(format_of("CREATE TABLE allocations (x); CREATE TABLE import_log (x)"), k_other);
    EXPECT_EQ(format_of("CREATE TABLE memscope_dump (x)"), k_msmemscope);
    EXPECT_EQ(format_of("CREATE TABLE Leaks_Dump (x); CREATE TABLE python_trace_7 (x)"), k_msmemscope);
    EXPECT_EQ(format_of("CREATE TABLE NPU_OP_MEM (x)"), k_other);
    EXPECT_EQ(format_of("CREATE TABLE stack_frames (x)"), k_other);
    EXPECT_EQ(format_of("CREATE TABLE run_time_entries (x); CREATE TABLE weight_entries (x)"), k_memory_report);
    EXPECT_EQ(format_of("CREATE TABLE trace_entry_0 (x); CREATE TABLE leaks_dump (x)"), k_msmemscope);
}

std::string described(const std::string& sql) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), sql); }
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    return file ? load::describe_other(**file) : "";
}

/// Checks that each list of tables has a description of its own, and that each of its databases gets it.
TEST(LoadDatabase, KnownFilesWithoutAPictureAreNamed) {
    struct OtherDatabase {
        const char* named;  ///< a product, file or table that the description names
        std::vector<std::string> databases;
    };
    const std::vector<OtherDatabase> kinds = {
        {"Skyline", {"iteration_entries"}},
        {"SnapViewer", {"allocs"}},
        {"DeepView", {"ENERGY"}},
        {"STRING_IDS", {"NPU_OP_MEM", "NPU_MEM"}},
        {"(msprof)", {"STRING_IDS TASK", "STRING_IDS CANN_API", "STRING_IDS NPU_INFO", "SESSION_TIME_INFO"}},
        {"(analysis.db)", {"StepTraceTime", "CommAnalyzerBandwidth"}},
        {"(cluster_analysis.db)",
         {"ClusterStepTraceTime", "ClusterCommAnalyzerBandwidth", "ClusterCommunicationMatrix", "ClusterBaseInfo",
          "CommunicationGroupMapping", "cluster_base_info"}},
        {"Nsight", {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMORY"}},
        {"ROCm", {"rocpd_op", "rocpd_string"}},
        {"SQLite", {"orders", "STRING_IDS", "TASK", "Allocs2"}},
    };
    std::set<std::string> descriptions;
    for (const OtherDatabase& kind : kinds) {
        std::string of_kind;
        for (const std::string& tables : kind.databases) {
            std::istringstream names(tables);
            std::string sql;
            for (std::string name; names >> name;) sql += "CREATE TABLE " + name + " (x);";
            const std::string description = described(sql);
            if (of_kind.empty()) of_kind = description;
            EXPECT_EQ(description, of_kind) << tables;
        }
        EXPECT_NE(of_kind.find(kind.named), std::string::npos) << of_kind;
        EXPECT_TRUE(descriptions.insert(of_kind).second) << of_kind;
    }
}

/// Opens a file. If that fails, fails the test and returns null.
std::shared_ptr<const Document> opened(const std::filesystem::path& path) {
    Progress progress;
    const auto document = open_document(path.string(), {}, progress);
    if (!document) ADD_FAILURE() << document.error().text();
    return document ? *document : nullptr;
}

/// The result of a query as CSV, or "refused".
std::string ask(const Document& document, const std::string& sql) {
    const auto result = document.database->run(sql, {});
    if (result) return query::format_result(*result, query::TableFormat::csv);
    EXPECT_EQ(result.error().code, ErrorCode::bad_query) << result.error().text();
    return "refused";
}

TEST(LoadDatabase, AnyDatabaseAnswersWithItsOwnTables) {
    const TestFolder folder;
    {
        const WrittenDatabase written(
            folder.file("shop.db"),
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, price REAL, note);"
            "INSERT INTO orders VALUES (1, 2.5, NULL), (2, 4.0, x'00ff');"
            "CREATE TABLE frames (mine); INSERT INTO frames VALUES ('of the file');"
            "CREATE TABLE \"two words\" (a); CREATE VIEW dear AS SELECT * FROM orders WHERE price > 3");
    }
    const auto before = folder.state();
    {
        const auto document = opened(folder.file("shop.db"));
        ASSERT_TRUE(document);
        EXPECT_EQ(document->snapshot->kind, FileKind::sqlite);
        EXPECT_TRUE(document->devices.empty());
        EXPECT_EQ(document->snapshot->log.entries().at(0).code, "only_tables");
        EXPECT_EQ(ask(*document, "SELECT sum(price) AS s FROM orders"), "s\r\n6.5\r\n");
        EXPECT_EQ(ask(*document, "SELECT id FROM dear"), "id\r\n2\r\n");
        // A built-in table takes precedence over the file's.
        EXPECT_EQ(ask(*document, "SELECT count(*) AS n FROM frames"), "n\r\n0\r\n");
        EXPECT_EQ(ask(*document, "SELECT mine FROM file.frames"), "mine\r\nof the file\r\n");
        EXPECT_EQ(ask(*document, "SELECT count(*) AS n FROM allocs"), "n\r\n0\r\n");
        EXPECT_EQ(ask(*document, "DELETE FROM orders"), "refused");
        EXPECT_EQ(ask(*document, "ATTACH 'x.db' AS x"), "refused");

        std::vector<std::string> names;
        for (const sqlite::TableDoc& table : document->database->schema()) {
            if (table.is_file_table) names.push_back(table.name);
            if (table.name == "orders") {
                ASSERT_EQ(table.columns.size(), 3U);
                EXPECT_EQ(table.columns[1].name, "price");
                EXPECT_EQ(table.columns[1].type, "REAL");
            }
        }
        EXPECT_EQ(names, (std::vector<std::string>{"orders", "file.frames", "\"two words\"", "dear"}));
        std::vector<std::string> offered;
        for (const sqlite::TableDoc& table : document->database->schema()) {
            if (!table.is_file_table && !table.is_empty) offered.push_back(table.name);
        }
        // The only built-in table with rows; it says that nothing can be drawn.
        EXPECT_EQ(offered, std::vector<std::string>{"import_log"});
    }
    EXPECT_TRUE(folder.state() == before);
}

TEST(LoadDatabase, AFileCutShortStillAnswers) {
    const TestFolder folder;
    {
        const WrittenDatabase written(
            folder.file("a.db"),
            "CREATE TABLE first (a); INSERT INTO first VALUES (7);"
            "CREATE TABLE second AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
            "i < 500) SELECT hex(zeroblob(900)) v FROM n");
    }
    std::filesystem::resize_file(folder.file("a.db"), 40960);
    const auto document = opened(folder.file("a.db"));
    ASSERT_TRUE(document);
    EXPECT_EQ(document->snapshot->log.entries().at(0).code, "file_cut_short");
    EXPECT_EQ(ask(*document, "SELECT a FROM first"), "a\r\n7\r\n");
    EXPECT_EQ(ask(*document, "SELECT count(v) FROM second"), "refused");
    EXPECT_EQ(ask(*document, "UPDATE sqlite_master SET sql = ''"), "refused");
}

}  // namespace
}  // namespace snapviewer
