#include "core/load/containers.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/load/formats.h"
#include "tests/unit/pickle_text.h"
#include "tests/unit/zip_text.h"

namespace snapviewer {
namespace {

constexpr const char* k_it_opens = "it opens";

/// The sentence about a file that is refused.
std::string refusal(std::string_view bytes) {
    const auto loaded = test::load_bytes(bytes);
    if (loaded) return k_it_opens;
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_file) << loaded.error().text();
    return loaded.error().message;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Files that are refused in the same words.
struct Kind {
    std::vector<const char*> named;  ///< products, files, keys and commands that the refusal names
    std::vector<std::string> files;
};

/// Checks that each kind has a refusal of its own, and that each of its files gets it.
void expect_refusals_of_their_own(const std::vector<Kind>& kinds) {
    std::set<std::string> refusals = {k_it_opens};
    for (const Kind& kind : kinds) {
        const std::string why = refusal(kind.files.front());
        EXPECT_TRUE(refusals.insert(why).second) << why;
        for (const char* name : kind.named) EXPECT_TRUE(has(why, name)) << name << "\n" << why;
        for (const std::string& file : kind.files) EXPECT_EQ(refusal(file), why) << file.substr(0, 100);
    }
}

constexpr const char* k_login_page =
    "<!DOCTYPE html><html><head><title>Sign in - Corp</title></head><body><input type=password></body></html>";

TEST(WrongFile, SaysWhatItIsAndWhatToDo) {
    expect_refusals_of_their_own({
        {{}, {""}},
        {{"git lfs pull"}, {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"}},
        {{"Python"},
         {"Traceback (most recent call last):\n  File \"train.py\", line 3\nOSError: disk full\n",
          "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"train.py\"\n"}},
        {{}, {std::string(4096, '\0')}},
        {{}, {k_login_page}},
        {{"<Code>"}, {"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"}},
        {{"\"base64\""}, {"<html><body>404</body></html>"}},
        {{"torch.save", "_dump_snapshot()"},
         {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
          "\x80\x02M\xe9\x03."
          "\x80\x02}."
          "\x80\x02"
          "ccollections\nOrderedDict\n)R."}},
        {{"pickle, JSON"}, {"just some text", "\x01\x02\x03"}},
    });
}

std::string bytes_of(std::initializer_list<int> values) {
    std::string bytes;
    for (const int value : values) bytes += static_cast<char>(value);
    return bytes;
}

/// A dict whose keys are the results of an instruction that is refused.
std::string pickle_of_objects(std::string_view key) {
    test::PickleText text;
    text.proto(4).text("collections").text("OrderedDict").raw("\x93)R(").text(key).number(7).raw("u.");
    return text.bytes();
}

TEST(WrongFile, NamesWhatOtherToolsWrote) {
    const std::vector<Kind> kinds = {
        {{"torch.profiler", "Perfetto", "_dump_snapshot()"},
         {R"({"schemaVersion": 1, "deviceProperties": []})",
          R"({"metadata": {"a": 1}, "traceEvents": [{"ph": "X", "ts": 1}]})", R"([{"name": "x", "ph": "X", "ts": "1.5"}])",
          R"({"schemaVersion": 1, "traceEvents": [{"ph": "X")"}},
        {{"pprof", "-http"}, {bytes_of({0x0a, 4, 8, 1, 0x10, 2, 0x0a, 4, 8, 3, 0x10, 4, 0x12, 2, 8, 1})}},
        {{"Nsight Systems", "nsys export --type sqlite"}, {"NVIDIA Tegra Profiler Report 35528883.\n\x0b"}},
        {{"Radeon Memory Visualizer"},
         {"AMD_RDF \x03" + std::string(60, '\0'), "MINI" + bytes_of({1, 0, 0, 0, 0, 0, 0, 0})}},
        {{"memory_stats()", "_dump_snapshot()"},
         {R"({"active.all.allocated": 3, "active.all.current": 1})",
          R"({"active": {"all": {"current": 1}, "large_pool": {}, "small_pool": {}}})",
          pickle_of_objects("allocated_bytes.all.current"), "|=====|\n|   PyTorch CUDA memory summary, device ID 0   |\n"}},
        {{"MemoryTracker", "summary()"}, {pickle_of_objects("memories_allocated")}},
        {{"msMemScope", "--data-format=db"},
         {"\xEF\xBB\xBFID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr\r\n1,MALLOC,PTA\r\n",
          "Record Index,Timestamp(us),Event,Event Type,Process Id,Thread Id,Device Id,Kernel Index,Flag,Addr,Size(byte)\n"}},
        {{"operator_memory.csv", "memory_record.csv", "ascend_pytorch_profiler_*.db"},
         {"Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB)\n",
          "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Stream Ptr,Device Type\nPTA,1,2,3,4,NPU:0\n"}},
        {{"--log FILE"},
         {"step 1\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
          "[rank0]: OutOfMemoryError: HIP out of memory. Tried to allocate 1 GiB\n",
          "{\"step\": 1}\n{\"error\": \"NPU out of memory. Tried to allocate 1 GiB\"}\n",
          "(worker) started\n" + std::string(3'000'000, 'x') + "CUDA out of memory. Tried to allocate 2 GiB"}},
    };
    expect_refusals_of_their_own(kinds);
    for (const Kind& kind : kinds) {
        for (const std::string& file : kind.files)
            EXPECT_FALSE(test::load_bytes(file).error().offset.has_value())
                << "a place says nothing of a file of another kind";
    }
}

TEST(WrongFile, WordsOfOtherToolsDoNotRefuseASnapshot) {
    const char* snapshot =
        R"({"user_metadata": "{\"traceEvents\": [], .all.allocated, memories_allocated, CUDA out of memory. Tried to allocate",
            "segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 2}]]})";
    EXPECT_EQ(refusal(snapshot), k_it_opens);
    EXPECT_FALSE(has(refusal(bytes_of({0x0a, 4, 8, 1, 0x18, 2, 0x0a})), "pprof"));
}

TEST(WrongFile, AZipOfTorchSaveIsNamed) {
    const std::string pickle =
        "\x80\x02}q\x01"
        "ccollections\nOrderedDict\n.";
    const test::ZipText checkpoint = test::ZipText().member("model/data.pkl", pickle).member("model/version", "3\n");
    EXPECT_TRUE(has(refusal(checkpoint.bytes()), "torch.save"));
    const test::ZipText other = test::ZipText().member("notes.txt", "nothing");
    const std::string why = refusal(other.bytes());
    EXPECT_NE(why, k_it_opens);
    EXPECT_FALSE(has(why, "torch.save")) << why;
}

TEST(WrongFile, APageOfTheViewerMaySayLogin) {
    const std::string page =
        "<html><title>login_model.py</title>const local_files = [{\"name\": \"x\", \"base64\": \"gAJ9Lg==\"}]";
    EXPECT_NE(refusal(page), refusal(k_login_page));
}

TEST(WrongFile, APickleOfSomethingElseSaysOfWhat) {
    using test::PickleText;
    PickleText dict, many, words, list, settings;
    dict.proto(4).dict().entry("weights", 1).end_dict().raw(".");
    for (const char* key : {"\"weights\"", "'device_traces'", "'segments'"})
        EXPECT_TRUE(has(refusal(dict.bytes()), key)) << key;
    many.proto(4).dict();
    for (const char* key : {"a", "b", "c", "d", "e", "f", "g"}) many.entry(key, 1);
    many.end_dict().raw(".");
    const std::string five = refusal(many.bytes());
    EXPECT_TRUE(has(five, R"( "a", "b", "c", "d", "e" )")) << five;
    EXPECT_TRUE(has(five, " 2 ") && !has(five, "\"f\"")) << five;
    words.proto(4).dict().number(7).number(1).text("\x1b[31mred\n" + std::string(500, 'x')).number(1).end_dict().raw(".");
    const std::string harmless = refusal(words.bytes());
    EXPECT_TRUE(has(harmless, " 7")) << harmless;
    EXPECT_EQ(harmless.find_first_of("\x1b\n"), std::string::npos) << "steers the terminal";
    EXPECT_LT(harmless.size(), 250U);
    list.proto(4).list().number(1).number(2).end_list().raw(".");
    EXPECT_TRUE(has(refusal(list.bytes()), " 2 ")) << refusal(list.bytes());
    const auto of_value = [](std::string_view value) { return refusal(PickleText().proto(4).raw(value).raw(".").bytes()); };
    const std::string empty_list = of_value("]"), empty_dict = of_value("}");
    EXPECT_NE(empty_list, empty_dict);
    EXPECT_EQ(empty_list.find_first_of("0123456789"), std::string::npos) << empty_list;
    for (const auto& [value, shown] :
         std::vector<std::pair<std::string, const char*>>{{"}", " dict"},
                                                          {PickleText().number(5).bytes(), " 5"},
                                                          {PickleText().text("hi").bytes(), "\"hi\""},
                                                          {"N", "None"},
                                                          {"\x88", " true"},
                                                          {PickleText().dict().raw("}K\x01").end_dict().bytes(), " dict;"}})
        EXPECT_TRUE(has(of_value(value), shown)) << of_value(value);
    settings.proto(4).dict().entry("state", "x").end_dict().raw(".");
    EXPECT_TRUE(has(refusal(settings.bytes()), " blocks ")) << refusal(settings.bytes());
}

TEST(WrongFile, APickleOfObjectsNamesThem) {
    const std::string in_lines = refusal(
        "\x80\x02}q\x01"
        "ccollections\nOrderedDict\n.");
    EXPECT_TRUE(has(in_lines, " GLOBAL,") && has(in_lines, " \"collections.OrderedDict\",")) << in_lines;
    test::PickleText newer;
    newer.proto(4).text("torch._utils").text("_rebuild_tensor_v2").raw("\x93.");
    const std::string on_stack = refusal(newer.bytes());
    EXPECT_TRUE(has(on_stack, " STACK_GLOBAL,") && has(on_stack, " \"torch._utils._rebuild_tensor_v2\",")) << on_stack;
    const std::string bare = refusal(test::PickleText().proto(4).raw("]\x93.").bytes());
    EXPECT_TRUE(has(bare, " STACK_GLOBAL,") && !has(bare, "\"")) << bare;
    const std::string endless = refusal(
        "\x80\x02}q\x01"
        "cno end of a line");
    EXPECT_TRUE(has(endless, " GLOBAL,") && !has(endless, "\"")) << endless;
}

}  // namespace
}  // namespace snapviewer
