// Tests that files with damaged contents open up to the damage.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/pickle_text.h"

namespace snapviewer {
namespace {

using test::load_bytes;
using test::PickleText;

constexpr std::size_t k_event_count = 6;

std::string pickle_with(std::size_t events) {
    PickleText text;
    for (std::size_t i = 0; i < events; ++i) text.event("alloc", 0x10000 * (i + 1), 512);
    return PickleText::snapshot_of(text).bytes();
}

std::string json_with(std::size_t events) {
    std::string text = R"({"segments": [], "device_traces": [[)";
    for (std::size_t i = 0; i < events; ++i) {
        text += fmt::format(R"({}{{"action": "alloc", "addr": {}, "size": 512, "stream": 0}})", i == 0 ? "" : ", ",
                            0x10000 * (i + 1));
    }
    return text + "]]}";
}

const ImportEntry* entry_of(const Snapshot& snapshot, ImportCode code) {
    for (const ImportEntry& entry : snapshot.log.entries()) {
        if (entry.code == code.kind->name) return &entry;
    }
    return nullptr;
}

/// Number of events with which `bytes` opens; 0 if it is refused. A file with missing events must have a note.
std::size_t events_in(const std::string& bytes) {
    const auto snapshot = load_bytes(bytes);
    if (!snapshot.ok()) {
        EXPECT_EQ(snapshot.error().code, ErrorCode::bad_file);
        return 0;
    }
    const std::size_t events = (*snapshot)->devices.empty() ? 0 : (*snapshot)->devices[0].events.size();
    if (events < k_event_count) {
        const ImportEntry* entry = entry_of(**snapshot, "cut_short");
        EXPECT_NE(entry, nullptr);
        if (entry != nullptr) {
            EXPECT_EQ(entry->severity, Severity::data_loss);
            EXPECT_TRUE(entry->first_offset);
        }
    }
    return events;
}

/// Checks that a file whose bytes from some offset on are zero opens with the same events as if it were truncated there, or
/// with one more if the lost bytes were zero anyway.
void expect_zeroed_like_cut(const std::string& whole) {
    for (std::size_t at = 2; at < whole.size(); ++at) {
        const std::size_t cut = events_in(whole.substr(0, at));
        const std::size_t zeroed = events_in(whole.substr(0, at) + std::string(whole.size() - at, '\0'));
        EXPECT_GE(zeroed, cut) << at;
        EXPECT_LE(zeroed, cut + 1) << at;
    }
}

struct Flips {
    std::size_t count = 0;
    std::size_t lost = 0;  ///< refused, or opened without the events before the changed byte
};

/// Sets each byte of the third event to every value.
Flips flips_of_third_event(const std::string& whole, std::string_view begin_of_event) {
    std::vector<std::size_t> begins;
    for (std::size_t at = whole.find(begin_of_event); at != whole.npos; at = whole.find(begin_of_event, at + 1))
        begins.push_back(at);
    EXPECT_EQ(begins.size(), k_event_count);
    Flips flips;
    for (std::size_t at = begins.at(2); at < begins.at(3); ++at) {
        for (int value = 0; value < 256; ++value) {
            std::string changed = whole;
            changed[at] = static_cast<char>(value);
            const auto snapshot = load_bytes(changed);
            ++flips.count;
            if (!snapshot || (*snapshot)->devices.empty() || (*snapshot)->devices[0].events.size() < 2) ++flips.lost;
        }
    }
    return flips;
}

TEST(Damage, OfATailOfZerosKeepsWhatCameBefore) {
    expect_zeroed_like_cut(pickle_with(k_event_count));
    expect_zeroed_like_cut(json_with(k_event_count));
}

TEST(Damage, OfOneByteOfJsonKeepsTheEventsBeforeIt) {
    EXPECT_EQ(flips_of_third_event(json_with(k_event_count), "{\"action").lost, 0U);
}

/// A wrong byte may be an instruction that discards earlier values or that imports, so a few events may be lost.
TEST(Damage, OfOneByteOfAPickleMostlyKeepsTheEventsBeforeIt) {
    const Flips flips = flips_of_third_event(pickle_with(k_event_count), PickleText().dict().text("action").bytes());
    EXPECT_LE(flips.lost * 100, flips.count * 2) << flips.lost << " of " << flips.count;
}

TEST(Damage, OfAValueEndsItsTraceAndNoOther) {
    const auto trace = [](const char* size) {
        return fmt::format(
            R"([{{"action": "alloc", "addr": 4096, "size": 512}}, {{"action": "alloc", "addr": 8192, "size": {}}},
                           {{"action": "free_completed", "addr": 4096, "size": 512}}])",
            size);
    };
    const auto snapshot = load_bytes(R"({"segments": [], "device_traces": [)" + trace("\"\"") + "," + trace("512") + "]}");
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().text();
    ASSERT_EQ((*snapshot)->devices.size(), 2U);
    EXPECT_EQ((*snapshot)->devices[0].events.size(), 1U);
    EXPECT_EQ((*snapshot)->devices[0].cut_off, CutOff::in_the_events);
    EXPECT_EQ((*snapshot)->devices[1].events.size(), 3U);
    EXPECT_EQ((*snapshot)->devices[1].cut_off, CutOff::behind);
    EXPECT_NE(entry_of(**snapshot, "cut_short"), nullptr);
}

TEST(Damage, DoesNotExcuseAnImport) {
    PickleText events;
    events.event("alloc", 4096, 512).raw("cos\nsystem\n");
    const auto snapshot = load_bytes(PickleText::snapshot_of(events).bytes());
    ASSERT_FALSE(snapshot.ok());
    EXPECT_EQ(snapshot.error().code, ErrorCode::bad_file);
    EXPECT_NE(snapshot.error().message.find("os.system"), std::string::npos);
}

TEST(Damage, IsNotWhatFollowsAPickle) {
    const std::string first = pickle_with(2), second = pickle_with(3);
    const auto alone = load_bytes(first + std::string(5, '\0'));
    ASSERT_TRUE(alone.ok());
    EXPECT_EQ(entry_of(**alone, "cut_short"), nullptr);
    EXPECT_EQ(entry_of(**alone, "damaged_packing"), nullptr);
    EXPECT_EQ(entry_of(**alone, "other_snapshots"), nullptr);
    const auto several = load_bytes(first + second + second + "and a text");
    ASSERT_TRUE(several.ok());
    EXPECT_EQ((*several)->devices[0].events.size(), 2U);
    const ImportEntry* others = entry_of(**several, "other_snapshots");
    ASSERT_NE(others, nullptr);
    EXPECT_EQ(others->count, 2U);
}

TEST(Damage, PartsArePicklesOneAfterAnother) {
    const test::ScratchFile file(pickle_with(2) + pickle_with(3) + pickle_with(5));
    const auto events_of_part = [&](std::uint32_t part) -> std::size_t {
        Progress progress;
        const auto loaded = load::load_file(file.path(), progress, nullptr, part);
        return loaded ? loaded->snapshot->devices[0].events.size() : 0;
    };
    EXPECT_EQ(events_of_part(1), 2U);
    EXPECT_EQ(events_of_part(2), 3U);
    EXPECT_EQ(events_of_part(3), 5U);
    EXPECT_EQ(events_of_part(4), 0U);
    EXPECT_EQ(events_of_part(0), 0U);
    const test::ScratchFile json(json_with(2));
    Progress progress;
    EXPECT_FALSE(load::load_file(json.path(), progress, nullptr, 2).ok());
}

}  // namespace
}  // namespace snapviewer
