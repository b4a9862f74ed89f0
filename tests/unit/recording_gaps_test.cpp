#include "core/timeline/recording_facts.h"

#include <gtest/gtest.h>

#include "tests/unit/pickle_text.h"

namespace snapviewer {
namespace {

using test::load_bytes;
using test::PickleText;

const ImportEntry* find(const Snapshot& snapshot, std::string_view code) {
    for (const ImportEntry& entry : snapshot.log.entries()) {
        if (entry.code == code) return &entry;
    }
    return nullptr;
}

/// A snapshot with these events of device 0, segments of 1000 bytes in total, and allocator settings.
std::shared_ptr<const Snapshot> snapshot_of(const PickleText& events, const PickleText& settings = {}) {
    PickleText pickle;
    pickle.proto(2).dict();
    pickle.text("segments").list();
    pickle.dict().entry("address", 4096).entry("total_size", 600).text("blocks").raw("]").end_dict();
    pickle.dict().entry("address", 8192).entry("total_size", 400).text("blocks").raw("]").end_dict();
    pickle.end_list();
    pickle.text("device_traces").list().list().raw(events.bytes()).end_list().end_list();
    pickle.text("allocator_settings").dict().raw(settings.bytes()).end_dict();
    pickle.end_dict().raw(".");
    auto snapshot = load_bytes(pickle.bytes());
    EXPECT_TRUE(snapshot.ok()) << (snapshot.ok() ? "" : snapshot.error().text());
    return snapshot.ok() ? *snapshot : nullptr;
}

PickleText oom(std::uint64_t free_bytes) {
    return PickleText().dict().entry("action", "oom").entry("device_free", free_bytes).entry("size", 5).end_dict();
}

TEST(ImportLog, TellsThatTheTotalCannotBe) {
    // 1000 bytes are reserved at the end, 400 of them since the oom, at which 300 were free: a capacity of 900 bytes.
    const auto events_with = [](std::uint64_t size_bytes) {
        return PickleText().event("alloc", 4096, size_bytes).raw(oom(300).bytes()).event("segment_alloc", 8192, 400);
    };
    EXPECT_EQ(find(*snapshot_of(events_with(900)), "total_above_capacity"), nullptr);
    const auto snapshot = snapshot_of(events_with(901));
    ASSERT_NE(find(*snapshot, "total_above_capacity"), nullptr);
    EXPECT_EQ(find(*snapshot, "total_above_capacity")->severity, Severity::data_loss);
}

TEST(ImportLog, TellsThatTheBufferWasFull) {
    const PickleText two = PickleText().event("alloc", 1, 1).event("alloc", 2, 1);
    const auto has = [&](const PickleText& settings) {
        return find(*snapshot_of(two, settings), "ring_buffer_wrapped") != nullptr;
    };
    EXPECT_FALSE(has({}));
    EXPECT_FALSE(has(PickleText().entry("trace_alloc_max_entries", 3)));
    EXPECT_TRUE(has(PickleText().entry("trace_alloc_max_entries", 2)));
    EXPECT_TRUE(has(PickleText().text("trace_alloc_overflowed").raw("\x88")));
    EXPECT_FALSE(has(PickleText().text("trace_alloc_overflowed").raw("\x89")));
    EXPECT_TRUE(has(PickleText().text("trace_alloc_overflowed").raw("](\x89\x88").raw("e"))) << "one for each device";
    EXPECT_TRUE(has(PickleText().text("trace_alloc_overflowed").dict().text("0").raw("\x88").end_dict()));
}

TEST(ImportLog, CountsAllocsWithoutStacks) {
    const auto snapshot = snapshot_of(PickleText().event("alloc", 1, 1).event("free_completed", 1, 1).event("alloc", 2, 1));
    ASSERT_NE(find(*snapshot, "alloc_without_stack"), nullptr);
    EXPECT_EQ(find(*snapshot, "alloc_without_stack")->count, 2U);
}

}  // namespace
}  // namespace snapviewer
