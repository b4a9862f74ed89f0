// Compares the pictures of profiler databases with stored ones. The databases are made from tests/databases.
#include "core/exports/export.h"
#include "tests/golden/document_picture.h"

namespace snapviewer::golden {
namespace {

using DatabasePicture = DocumentPictureTest;

TEST_F(DatabasePicture, AscendWithBlocks) {
    options_.height_px = 880;  // high enough for all tracks
    const auto document = open(make_database("ascend"));
    EXPECT_TRUE(timeline_matches(*document, 0, "ascend_blocks"));
    EXPECT_TRUE(timeline_matches(*document, -3, "ascend_workspace"));
}

TEST_F(DatabasePicture, AscendWithCurvesAlone) {
    EXPECT_TRUE(timeline_matches(*open(make_database("ascend", "DROP TABLE OP_MEMORY")), 0, "ascend_curves"));
}

TEST_F(DatabasePicture, GraphEngineAlone) { EXPECT_TRUE(timeline_matches(*open(make_database("msprof")), 0, "msprof")); }

TEST_F(DatabasePicture, SnapshotOfInsight) {
    EXPECT_TRUE(timeline_matches(*open(make_database("insight")), 0, "insight_snapshot"));
}

TEST_F(DatabasePicture, ExportedSnapshotIsThePictureItCameFrom) {
    const std::filesystem::path original = make_database("insight");
    const auto document = open(original.string());
    // The file name stays the same, because it appears in the picture.
    std::filesystem::create_directory(original.parent_path() / "exported");
    const std::string path = (original.parent_path() / "exported" / original.filename()).string();
    Progress progress;
    ASSERT_TRUE(exports::export_database(*document->database, *document->snapshot, 0, path, progress));
    EXPECT_TRUE(timeline_matches(*open(path), 0, "insight_snapshot"));
}

TEST_F(DatabasePicture, MsMemScope) {
    const auto document = open(make_database("msmemscope"));
    EXPECT_TRUE(timeline_matches(*document, 0, "msmemscope_pta"));
    EXPECT_TRUE(timeline_matches(*document, -3, "msmemscope_host"));
    EXPECT_TRUE(timeline_matches(*document, -4, "msmemscope_hal"));
}

TEST_F(DatabasePicture, MemoryReport) {
    const auto document = open(make_database("memory_report"));
    EXPECT_TRUE(timeline_matches(*document, 0, "memory_report_iteration"));
    options_.height_px = 250;
    EXPECT_TRUE(icicle_matches(*document, "by source", "memory_report_by_source"));
}

TEST_F(DatabasePicture, RunTimeReport) {
    options_.height_px = 250;
    const auto document = open(make_database("run_time_report"));
    EXPECT_TRUE(icicle_matches(*document, "execution order", "run_time_report_in_order"));
    EXPECT_TRUE(icicle_matches(*document, "by source", "run_time_report_by_source"));
}

TEST_F(DatabasePicture, BothReportsOfOneModel) {
    EXPECT_TRUE(timeline_matches(*open(make_database("memory_report"), make_database("run_time_report")), 0, "report_pair"));
}

}  // namespace
}  // namespace snapviewer::golden
