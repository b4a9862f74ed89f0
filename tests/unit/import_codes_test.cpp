#include "core/base/import_log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "core/base/result.h"

namespace snapviewer {
namespace {

// To regenerate the table of docs/formats.md, run: SNAPVIEWER_WRITE_DOCS=1 unit_tests --gtest_filter=ImportCodes.*
TEST(ImportCodes, AreDocumented) {
    const auto path = std::filesystem::path(SNAPVIEWER_SOURCE_DIR) / "docs" / "formats.md";
    std::ifstream file(path, std::ios::binary);
    const auto text = std::string(std::istreambuf_iterator(file), {});
    const std::string begin = "<!-- import log -->\n";
    const std::size_t from = text.find(begin);
    const std::size_t to = text.find("<!-- end of import log -->");
    ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
    const std::string wanted = text.substr(0, from + begin.size()) + import_codes_markdown() + text.substr(to);
    if (std::getenv("SNAPVIEWER_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << wanted;
    EXPECT_EQ(text, wanted);
}

TEST(ImportCodes, HaveNamesOfTheirOwnAndEverySeverityIsUsed) {
    std::set<std::string_view> names;
    std::set<Severity> severities;
    for (const ImportKind& kind : k_import_kinds) {
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
        EXPECT_FALSE(kind.what_is_wrong.empty() || kind.what_happens.empty() || kind.message.empty()) << kind.name;
        severities.insert(kind.severity);
    }
    EXPECT_EQ(severities, (std::set{Severity::info, Severity::notice, Severity::data_loss}));
}

TEST(ImportLog, CountsOfOneCodeAndKeepsSubjectsApart) {
    ImportLog log;
    log.add("negative_size", {.offset = 7}, {"first"});
    log.add("negative_size", {.offset = 9, .count = 2}, {"second"});
    log.add("unknown_event_key", {.subject = "colour"}, {"colour"});
    log.add("unknown_event_key", {.subject = "shape"}, {"shape"});
    ASSERT_EQ(log.entries().size(), 3U);
    EXPECT_EQ(log.entries()[0].code, "negative_size");
    EXPECT_EQ(log.entries()[0].severity, Severity::data_loss);
    EXPECT_EQ(log.entries()[0].count, 3U);
    EXPECT_EQ(log.entries()[0].message, "first");
    EXPECT_EQ(log.entries()[0].first_offset, 7U);
    EXPECT_EQ(log.entries()[1].code, "unknown_event_key:colour");
    EXPECT_EQ(log.entries()[2].code, "unknown_event_key:shape");
}

TEST(ImportLog, PutsValuesIntoTheMessage) {
    ImportLog log;
    log.add("missing_shards", {}, {std::size_t{2}, std::uint64_t{5}});
    const std::string& message = log.entries().at(0).message;
    for (const char* value : {"_2.json ", " 5 "}) EXPECT_NE(message.find(value), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of("{}"), std::string::npos) << message;
}

TEST(ImportLog, CutsWhatAFileMakesVeryLong) {
    ImportLog log;
    const std::string key(1'000'000, 'k');
    log.add("unknown_root_key", {.subject = key}, {key});
    log.add("unknown_root_key", {.subject = "k"}, {"k"});
    ASSERT_EQ(log.entries().size(), 2U);
    EXPECT_LE(log.entries()[0].code.size(), 1000U);
    EXPECT_LE(log.entries()[0].message.size(), 1000U);
    const std::string& brief = log.entries()[1].message;
    EXPECT_TRUE(log.entries()[0].message.ends_with(brief.substr(brief.find("k'")))) << log.entries()[0].message;
    EXPECT_LT((Error{ErrorCode::bad_file, std::string(1'000'000, 'k'), {}, std::string(1'000'000, 'k')}.text().size()),
              5000U);
}

}  // namespace
}  // namespace snapviewer
