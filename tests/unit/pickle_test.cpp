#include <gtest/gtest.h>

#include "core/base/text.h"
#include "tests/unit/column_values.h"
#include "tests/unit/pickle_text.h"

namespace snapviewer {
namespace {

using test::load_bytes;
using test::PickleText;

std::shared_ptr<const Snapshot> load(const PickleText& pickle) {
    auto snapshot = load_bytes(pickle.bytes());
    EXPECT_TRUE(snapshot.ok()) << (snapshot.ok() ? "" : snapshot.error().text());
    return snapshot.ok() ? *snapshot : nullptr;
}

/// The error for a file that must be refused; its code is bad_file.
Error pickle_error(std::string_view bytes) {
    const auto snapshot = load_bytes(bytes);
    EXPECT_FALSE(snapshot.ok());
    if (snapshot.ok()) return {};
    EXPECT_EQ(snapshot.error().code, ErrorCode::bad_file) << snapshot.error().text();
    return snapshot.error();
}

/// The file note about the damage after the events with which a pickle opens. Its offset is ~0 if it is missing.
ImportEntry damage_in(std::string_view bytes) {
    const auto snapshot = load_bytes(bytes);
    EXPECT_TRUE(snapshot.ok()) << snapshot.error().text();
    if (snapshot.ok()) {
        for (const ImportEntry& entry : (*snapshot)->log.entries()) {
            if (entry.code == "cut_short") return entry;
        }
    }
    ADD_FAILURE() << "the pickle is neither refused nor cut short";
    return {};
}

TEST(Pickle, ReadsAnEventIntoColumns) {
    const auto snapshot = load(PickleText::snapshot_of(PickleText().event("alloc", 0xFFFF'8000'0000'1000, 1234)));
    ASSERT_TRUE(snapshot);
    const EventColumns& events = snapshot->devices.at(0).events;
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events.action[0], Action::alloc);
    EXPECT_EQ(events.address[0], 0xFFFF'8000'0000'1000) << "beyond 2^63, as XPU addresses are";
    EXPECT_EQ(events.size_bytes[0], 1234U);
    EXPECT_EQ(events.time_us[0], k_no_time);
    EXPECT_FALSE(events.stack[0].is_some());
}

TEST(Pickle, TakesNegativeEightByteIntegersAsAddresses) {
    // PyTorch's C++ writer can only write signed integers.
    PickleText event;
    event.dict()
        .entry("action", "alloc")
        .text("addr")
        .raw("\x8a")
        .byte(8)
        .little(0xFFFF'8000'0000'1000, 8)
        .entry("size", 1)
        .end_dict();
    EXPECT_EQ(load(PickleText::snapshot_of(event))->devices[0].events.address[0], 0xFFFF'8000'0000'1000);
}

TEST(Pickle, ReadsIntegersOfEveryWidth) {
    const auto size_of = [](const PickleText& number) {
        PickleText event;
        event.dict().entry("action", "alloc").entry("addr", 1).text("size").raw(number.bytes()).end_dict();
        return load(PickleText::snapshot_of(event))->devices[0].events.size_bytes[0];
    };
    EXPECT_EQ(size_of(PickleText().raw("K").byte(200)), 200U);
    EXPECT_EQ(size_of(PickleText().raw("M").little(60000, 2)), 60000U);
    EXPECT_EQ(size_of(PickleText().raw("J").little(70000, 4)), 70000U);
    EXPECT_EQ(size_of(PickleText().raw("\x8a").byte(0)), 0U);
    EXPECT_EQ(size_of(PickleText().raw("\x8a").byte(5).little(0x80000000, 5)), 0x80000000U);
    EXPECT_EQ(size_of(PickleText().raw("\x8b").little(6, 4).little(1ULL << 40, 6)), 1ULL << 40);
}

TEST(Pickle, RefusesIntegersBeyond64Bits) {
    PickleText event;
    event.dict().entry("action", "alloc").text("addr").raw("\x8a").byte(10).little(0, 8).byte(1).byte(0).end_dict();
    const std::string bytes = PickleText::snapshot_of(event).bytes();
    EXPECT_EQ(pickle_error(bytes).offset, bytes.find('\x8a')) << pickle_error(bytes).text();
}

/// A frame with a name, a line and a file, stored in the memo under number `memo`.
PickleText frame(std::string_view name, int line, int memo) {
    return PickleText()
        .dict()
        .entry("filename", "train.py")
        .entry("line", static_cast<std::uint64_t>(line))
        .entry("name", name)
        .end_dict()
        .raw("q")
        .byte(memo);
}

PickleText event_of(const PickleText& frames) {
    return PickleText()
        .dict()
        .entry("action", "alloc")
        .entry("addr", 1)
        .entry("size", 1)
        .text("frames")
        .list()
        .raw(frames.bytes())
        .end_list()
        .end_dict();
}

/// Two frames read from memo entries 1 and 2, with the short and the long instruction.
PickleText recalled() { return PickleText().raw("h\x01").raw("j").little(2, 4); }

TEST(Pickle, InternsStacksByContent) {
    // The first event defines its frames, the second reads them from the memo (the fast path), and the third defines equal
    // frames again.
    PickleText events;
    events.raw(event_of(PickleText().raw(frame("inner", 3, 1).bytes()).raw(frame("outer", 9, 2).bytes())).bytes());
    events.raw(event_of(recalled()).bytes());
    events.raw(event_of(PickleText().raw(frame("inner", 3, 3).bytes()).raw(frame("outer", 9, 4).bytes())).bytes());
    const auto snapshot = load(PickleText::snapshot_of(events));
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->stacks.stack_count(), 1U);
    EXPECT_EQ(snapshot->stacks.frame_count(), 2U);
    EXPECT_EQ(stack_text(snapshot->strings, snapshot->stacks, snapshot->devices[0].events.stack[1]),
              "train.py:3:inner\ntrain.py:9:outer");
}

/// The stacks of two events that read frames 1 and 2 from the memo, before and after the event `between`.
std::pair<std::string, std::string> recalled_around(const PickleText& between) {
    PickleText events;
    events.raw(event_of(PickleText().raw(frame("inner", 3, 1).bytes()).raw(frame("outer", 9, 2).bytes())).bytes());
    events.raw(event_of(recalled()).bytes()).raw(between.bytes()).raw(event_of(recalled()).bytes());
    const auto snapshot = load(PickleText::snapshot_of(events));
    if (!snapshot) return {};
    const std::vector<StackId>& stacks = snapshot->devices[0].events.stack;
    return {stack_text(snapshot->strings, snapshot->stacks, stacks[1]),
            stack_text(snapshot->strings, snapshot->stacks, stacks[3])};
}

TEST(Pickle, ARecalledStackHasTheFramesThatAreRememberedThen) {
    const auto [before, after] = recalled_around(event_of(frame("another", 5, 1)));
    EXPECT_EQ(before, "train.py:3:inner\ntrain.py:9:outer");
    EXPECT_EQ(after, "train.py:5:another\ntrain.py:9:outer");
}

TEST(Pickle, ARecalledStackHasItsFramesAsTheyAreThen) {
    const auto [before, after] = recalled_around(event_of(PickleText().raw("h\x01").text("line").number(77).raw("s")));
    EXPECT_EQ(before, "train.py:3:inner\ntrain.py:9:outer");
    EXPECT_EQ(after, "train.py:77:inner\ntrain.py:9:outer");
}

TEST(Pickle, RecallsValuesOfEveryKind) {
    PickleText pickle;
    pickle.proto(4).dict().text("segments").raw("]").text("allocator_settings").dict();
    pickle.text("one").raw("K\x07q").byte(3).text("two").text("words").raw("r").little(50, 4);
    pickle.text("three")
        .raw("Nq")
        .byte(5)
        .text("four")
        .raw("\x88q")
        .byte(6)
        .text("five")
        .raw("](K\x01K\x02")
        .raw("eq")
        .byte(8);
    pickle.text("again").list().raw("h\x03j").little(50, 4).raw("h\x05h\x06h\x08").end_list();
    pickle.end_dict().end_dict().raw(".");
    const auto snapshot = load(pickle);
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(snapshot->settings.size(), 6U);
    EXPECT_EQ(snapshot->settings[5], (std::pair<std::string, std::string>{"again", R"([7, "words", null, true, [1, 2]])"}));
}

/// An event with keys from memo entries 1 to 3 and the word of memo entry `action`. The parser reads several instructions at
/// once except in the last bytes of a file, so tests append something.
PickleText recalled_event(int action, int address, int size_bytes) {
    return PickleText().raw("}(h\1h").byte(action).raw("h\2K").byte(address).raw("h\3K").byte(size_bytes).raw("u");
}

PickleText with_recalled_events(const PickleText& events) {
    PickleText all;
    int number = 0;
    for (const std::string_view word : {"action", "addr", "size", "alloc", "free_completed"})
        all.text(word).raw("q").byte(++number).raw("0");
    return PickleText::snapshot_of(all.raw(events.bytes()).event("oom", 7, 7));
}

TEST(Pickle, ADictHasTheKeysThatAreRememberedThen) {
    PickleText events = recalled_event(4, 10, 100);
    events.raw(recalled_event(5, 10, 100).bytes());
    events.text("addr").raw("q\x03").raw("0").text("size").raw("q\x02").raw("0");
    events.raw(recalled_event(4, 120, 20).bytes());
    const auto snapshot = load(with_recalled_events(events));
    ASSERT_TRUE(snapshot);
    const EventColumns& read = snapshot->devices.at(0).events;
    ASSERT_EQ(read.size(), 4U);
    EXPECT_EQ(read.action, (std::vector{Action::alloc, Action::free_completed, Action::alloc, Action::oom}));
    EXPECT_EQ(test::values_of(read.address), (std::vector<std::uint64_t>{10, 10, 20, k_unknown_bytes}));
    EXPECT_EQ(read.size_bytes, (std::vector<std::uint64_t>{100, 100, 120, 7}));
}

TEST(Pickle, ADictCannotRecallWhatWasNeverRemembered) {
    for (const std::uint64_t number : {std::uint64_t{6}, std::uint64_t{0xFFFFFFFF}}) {
        PickleText events = recalled_event(4, 10, 100);
        events.raw("}(j").little(number, 4).raw("K\1u");
        const std::string bytes = with_recalled_events(events).bytes();
        const ImportEntry damage = damage_in(bytes);
        EXPECT_EQ(damage.first_offset, bytes.find("}(j") + 2) << damage.message;
        EXPECT_NE(damage.message.find(' ' + std::to_string(number) + ','), std::string::npos) << damage.message;
    }
}

TEST(Pickle, TextsOfADictAreItsOwn) {
    // Each text is SHORT_BINUNICODE MEMOIZE; the first one gets number 6.
    PickleText events;
    for (const std::string_view word : {"alloc", "alloc", "snapshot", "segment_free"}) {
        events.raw("}(h\1\x8c").byte(static_cast<int>(word.size())).raw(word).raw("\x94");
        events.raw("h\2K\1h\3K\1u");
    }
    events.raw(recalled_event(8, 1, 1).bytes());
    const auto snapshot = load(with_recalled_events(events));
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->devices.at(0).events.action, (std::vector{Action::alloc, Action::alloc, Action::snapshot,
                                                                  Action::segment_free, Action::snapshot, Action::oom}));
}

TEST(Pickle, ADictMayHaveAnyNumberOfKeys) {
    PickleText events;
    events.raw("}(h\1h\4h\2K\x09h\3K\x08");
    for (int key = 0; key < 40; ++key) events.text("key " + std::to_string(key)).raw("K").byte(key);
    events.raw("u").raw("}(h\1h\4h\2u");  // the second event has a key without a value
    const std::string whole = with_recalled_events(events).bytes();
    const std::string odd = "}(h\1h\4h\2u";
    const ImportEntry damage = damage_in(whole);
    EXPECT_EQ(damage.first_offset, whole.find(odd) + odd.size() - 1) << damage.message;
    std::string even = whole;
    even.erase(even.find(odd), odd.size());
    const auto snapshot = load_bytes(even);
    ASSERT_TRUE(snapshot.ok());
    EXPECT_EQ(test::values_of((*snapshot)->devices.at(0).events.address), (std::vector<std::uint64_t>{9, k_unknown_bytes}));
}

TEST(Pickle, JoinsListsThatComeInBatches) {
    // A list in two APPENDS and one APPEND, as Python writes lists of more than a thousand items.
    PickleText pickle;
    pickle.proto(4)
        .dict()
        .text("device_traces")
        .list()
        .raw("](")
        .raw(PickleText().event("alloc", 1, 1).bytes())
        .raw("e(")
        .raw(PickleText().event("alloc", 2, 1).bytes())
        .raw("e")
        .raw(PickleText().event("alloc", 3, 1).bytes())
        .raw("a")
        .end_list()
        .end_dict()
        .raw(".");
    EXPECT_EQ(test::values_of(load(pickle)->devices.at(0).events.address), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Pickle, TakesAWholeTraceInOneBatch) {
    PickleText events;
    for (std::uint64_t i = 0; i < 200'000; ++i) events.event("alloc", i, 1);
    EXPECT_EQ(load(PickleText::snapshot_of(events))->devices.at(0).events.size(), 200'000U);
}

TEST(Pickle, GivesEachDeviceItsOwnEvents) {
    PickleText pickle;
    pickle.proto(2).dict().text("device_traces").list();
    for (const std::uint64_t device : {1U, 2U, 3U}) {
        pickle.list();
        for (std::uint64_t i = 0; i < device; ++i) pickle.event("alloc", 4096 * device + i, 512 * device);
        pickle.end_list();
    }
    const auto snapshot = load(pickle.end_list().end_dict().raw("."));
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(snapshot->devices.size(), 3U);
    for (std::uint64_t device = 1; device <= 3; ++device) {
        const EventColumns& events = snapshot->devices[device - 1].events;
        ASSERT_EQ(events.size(), device);
        for (std::uint64_t i = 0; i < device; ++i) {
            EXPECT_EQ(events.address[i], 4096 * device + i);
            EXPECT_EQ(events.size_bytes[i], 512 * device);
        }
    }
}

TEST(Pickle, KeepsUnknownKeysAndActionsHarmless) {
    PickleText events;
    events.raw(PickleText().dict().entry("action", "brand_new").entry("novelty", 5).end_dict().bytes()).event("alloc", 1, 1);
    const auto snapshot = load(PickleText::snapshot_of(events));
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(action_name(*snapshot, snapshot->devices[0].events.action[0]), "brand_new");
    ASSERT_EQ(snapshot->log.entries().size(), 3U) << "and that its alloc has no stack";
    EXPECT_EQ(snapshot->log.entries()[0].code, "unknown_action");
    EXPECT_EQ(snapshot->log.entries()[1].code, "unknown_event_key:novelty");
}

TEST(Pickle, ReadsBlocksOfOldAndNewFiles) {
    PickleText pickle;
    pickle.proto(2)
        .dict()
        .text("segments")
        .list()
        .dict()
        .entry("device", 2)
        .entry("address", 1000)
        .entry("total_size", 96)
        .text("blocks")
        .list();
    pickle.dict()
        .entry("size", 64)
        .entry("state", "active_allocated")
        .text("history")
        .list()
        .dict()
        .entry("addr", 1000)
        .entry("real_size", 50)
        .end_dict()
        .end_list()
        .end_dict();
    pickle.dict().entry("size", 32).entry("requested_size", 20).entry("state", "active_awaiting_free").end_dict();
    pickle.end_list().end_dict().end_list().end_dict().raw(".");
    const auto snapshot = load(pickle);
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(snapshot->blocks.size(), 2U);
    EXPECT_EQ(snapshot->blocks[0].requested_bytes, 50U);
    EXPECT_EQ(snapshot->blocks[1].address, 1064U);
    EXPECT_EQ(snapshot->blocks[1].requested_bytes, 20U);
    EXPECT_EQ(snapshot->blocks[1].state, BlockState::active_pending_free);
    EXPECT_EQ(snapshot->devices.at(0).device, 2);
}

struct Refused {
    const char* name;
    const char* bytes;
};

class RefusedInstructions : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedInstructions, AreNamedWithTheirPlace) {
    const Error error = pickle_error(PickleText().proto(4).raw("}").raw(GetParam().bytes).bytes());
    EXPECT_NE(error.message.find(std::string(" ") + GetParam().name + ","), std::string::npos) << error.message;
    EXPECT_EQ(error.offset, 3U) << error.message;
}

INSTANTIATE_TEST_SUITE_P(All, RefusedInstructions,
                         ::testing::Values(Refused{"GLOBAL", "cos\nsystem\n"}, Refused{"STACK_GLOBAL", "\x93"},
                                           Refused{"REDUCE", "R"}, Refused{"BUILD", "b"}, Refused{"INST", "ios\nsystem\n"},
                                           Refused{"OBJ", "o"}, Refused{"NEWOBJ", "\x81"}, Refused{"NEWOBJ_EX", "\x92"},
                                           Refused{"PERSID", "Px\n"}, Refused{"BINPERSID", "Q"}, Refused{"EXT1", "\x82\x01"},
                                           Refused{"BYTEARRAY8", "\x96"}),
                         [](const auto& instance) { return instance.param.name; });

TEST(Pickle, CutShortAnywhereKeepsTheEventsThatWereComplete) {
    const PickleText frames = PickleText().raw(frame("f", 1, 0).bytes()).raw("0");
    const PickleText first = PickleText(frames).event("alloc", 1, 2);
    const PickleText both = PickleText(first).event("free_completed", 1, 2);
    const std::string whole = PickleText::snapshot_of(both).bytes();
    const std::size_t begin = whole.find(both.bytes());
    const std::size_t first_ends = begin + first.bytes().size();
    const std::size_t both_end = begin + both.bytes().size();
    for (std::size_t length = 2; length < whole.size(); ++length) {
        const auto snapshot = load_bytes(std::string_view(whole).substr(0, length));
        const std::size_t expected = length >= both_end ? 2 : length >= first_ends ? 1 : 0;
        ASSERT_EQ(snapshot.ok(), expected > 0) << "after " << length << " bytes";
        if (!snapshot.ok()) {
            EXPECT_EQ(snapshot.error().code, ErrorCode::bad_file);
            EXPECT_LE(snapshot.error().offset.value_or(~0ULL), length) << snapshot.error().text();
            continue;
        }
        EXPECT_EQ((*snapshot)->devices.at(0).events.size(), expected) << "after " << length << " bytes";
        const ImportEntry& entry = (*snapshot)->log.entries().at(0);
        EXPECT_EQ(entry.code, "cut_short");
        EXPECT_EQ(entry.severity, Severity::data_loss);
        EXPECT_LE(entry.first_offset.value_or(~0ULL), length);
        EXPECT_NE(entry.message.find(std::to_string(length)), std::string::npos) << entry.message;
    }
}

/// A truncated file may have MARK instructions anywhere: before everything, several in a row, or with nothing after them.
TEST(Pickle, CutShortAfterAnyFewInstructionsIsRefused) {
    const std::vector<std::string> instructions = {
        "(", "]", "}", "N", PickleText().text("segments").bytes(), PickleText().text("device_traces").bytes()};
    constexpr std::size_t k_length = 5;
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < k_length; ++i) combinations *= instructions.size();
    for (std::size_t which = 0; which < combinations; ++which) {
        PickleText pickle;
        pickle.proto(2);
        for (std::size_t rest = which, i = 0; i < k_length; ++i, rest /= instructions.size())
            pickle.raw(instructions[rest % instructions.size()]);
        ASSERT_EQ(pickle_error(pickle.bytes()).offset, pickle.bytes().size()) << which;
    }
}

TEST(Pickle, WithAnyByteChangedNeverCrashes) {
    const std::string whole =
        PickleText::snapshot_of(PickleText().event("alloc", 1, 2).event("free_completed", 1, 2)).bytes();
    int still_fine = 0;
    for (std::size_t at = 2; at < whole.size(); ++at) {
        for (const int flip : {0x01, 0x10, 0x80, 0xFF}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            still_fine += load_bytes(changed).ok() ? 1 : 0;
        }
    }
    EXPECT_GT(still_fine, 0) << "changing a number does no harm";
}

TEST(Pickle, TakesNothingFromBelowAMark) {
    // The list and the dict lie below the mark, so the items above it would start beyond the end of the stack. The
    // instruction that would take them is the last but one.
    for (const char* instructions : {"]]]((at", "}NN(st", "NN(\x86t"}) {
        const std::string bytes = PickleText().proto(2).raw(instructions).bytes();
        EXPECT_EQ(pickle_error(bytes).offset, bytes.size() - 2) << pickle_error(bytes).text();
    }
}

TEST(Pickle, LyingLengthsAreCheckedBeforeAnythingIsAllocated) {
    const auto error_of = [](const PickleText& lie) { return pickle_error(PickleText().proto(4).raw(lie.bytes()).bytes()); };
    EXPECT_EQ(error_of(PickleText().raw("X").little(0xFFFFFFFF, 4).raw("abc")).offset, 2U);
    EXPECT_EQ(error_of(PickleText().raw("\x8d").little(~0ULL, 8).raw("abc")).offset, 2U);
    EXPECT_EQ(error_of(PickleText().raw("}r").little(0xFFFFFFFF, 4).raw(".")).offset, 3U);
}

TEST(Pickle, SharedTracesAndBlocksCannotMultiply) {
    PickleText twice;
    twice.proto(2)
        .dict()
        .text("device_traces")
        .list()
        .list()
        .event("alloc", 1, 1)
        .end_list()
        .raw("q\x01h\x01")
        .end_list()
        .end_dict()
        .raw(".");
    EXPECT_EQ(pickle_error(twice.bytes()).context, "trace of device 1");
}

TEST(Pickle, ADictMayBeginWithASingleItemAndGoOnWithAGroup) {
    // The index of the event's row is larger than that of any other dict.
    PickleText events;
    for (std::uint64_t i = 1; i < 6; ++i) events.event("alloc", 4096 * i, 512);
    events.raw("}").entry("colour", 1).raw("s(").entry("action", "alloc").entry("addr", 0x9000).entry("size", 512).raw("u");
    const auto snapshot = load_bytes(PickleText::snapshot_of(events).bytes());
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().text();
    const EventColumns& columns = (*snapshot)->devices.at(0).events;
    ASSERT_EQ(columns.size(), 6U);
    EXPECT_EQ(columns.address[5], 0x9000U);
}

TEST(Pickle, OfSomethingElseSaysSo) {
    PickleText dict, number, text_size;
    dict.proto(4).dict().entry("weights", 1).end_dict().raw(".");
    number.proto(4).number(1).raw(".");
    text_size.dict().entry("action", "alloc").entry("size", "large").end_dict();
    const PickleText wrong_size = PickleText::snapshot_of(text_size);
    for (const auto& [bytes, named] : std::vector<std::pair<std::string, const char*>>{
             {dict.bytes(), "\"weights\""}, {number.bytes(), " 1;"}, {wrong_size.bytes(), "'size'"}, {"\x80\x09.", " 9;"}}) {
        const Error error = pickle_error(bytes);
        EXPECT_NE(error.message.find(named), std::string::npos) << error.message;
        EXPECT_LT(error.offset.value(), bytes.size());
    }
    EXPECT_EQ(pickle_error(wrong_size.bytes()).context, "trace of device 0");
}

TEST(Pickle, OfAListIsAnOldSegmentsOnlyFile) {
    PickleText pickle;
    pickle.proto(2)
        .list()
        .dict()
        .entry("address", 4096)
        .entry("total_size", 10)
        .text("blocks")
        .raw("]")
        .end_dict()
        .end_list()
        .raw(".");
    EXPECT_EQ(load(pickle)->segments.size(), 1U);
}

TEST(Pickle, KeepsSettingsWithUnknownKeysAsJson) {
    PickleText pickle;
    pickle.proto(2)
        .dict()
        .text("segments")
        .raw("]")
        .text("allocator_settings")
        .dict()
        .text("roundup")
        .dict()
        .entry("1", 0)
        .entry("2", 4)
        .end_dict()
        .text("expandable")
        .raw("\x88")
        .end_dict()
        .end_dict()
        .raw(".");
    const auto snapshot = load(pickle);
    ASSERT_EQ(snapshot->settings.size(), 2U);
    EXPECT_EQ(snapshot->settings[0], (std::pair<std::string, std::string>{"roundup", R"({"1": 0, "2": 4})"}));
    EXPECT_EQ(snapshot->settings[1].second, "true");
}

TEST(Load, NamesWhatItCannotOpen) {
    Progress progress;
    EXPECT_EQ(load::load_file("/nonexistent/file.pickle", progress).error().code, ErrorCode::io);
    EXPECT_EQ(load::load_file(std::filesystem::temp_directory_path().string(), progress).error().code, ErrorCode::bad_file);
}

TEST(Load, StopsWhenAsked) {
    PickleText events;
    for (std::uint64_t i = 0; i < 100'000; ++i) events.event("alloc", i, 1);
    const test::ScratchFile file(PickleText::snapshot_of(events).bytes());
    Progress progress;
    progress.request_stop();
    const auto snapshot = load::load_file(file.path(), progress);
    ASSERT_FALSE(snapshot.ok());
    EXPECT_EQ(snapshot.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace snapviewer
