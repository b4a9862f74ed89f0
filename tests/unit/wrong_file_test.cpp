#include "core/load/wrong_file.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/load/load.h"
#include "tests/unit/pickle_text.h"
#include "tests/unit/zip_text.h"

namespace snapviewer {
namespace {

std::string refusal(std::string_view bytes) {
    const auto loaded = test::load_bytes(bytes);
    return loaded ? "it opens" : loaded.error().message;
}

TEST(WrongFile, SaysWhatItIsAndWhatToDo) {
    struct KnownFile {
        std::string bytes;
        const char* said;
        const char* to_do;
    };
    const KnownFile rows[] = {
        {"", "is empty", "may have died first"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "is a Git LFS pointer",
         "git lfs pull"},
        {"Traceback (most recent call last):\n  File \"train.py\", line 3\nOSError: disk full\n", "text of a Python error",
         "its last line"},
        {"[rank0]: Traceback (most recent call last):\n[rank0]:   File \"train.py\"\n", "text of a Python error",
         "its last line"},
        {std::string(4096, '\0'), "begins with zeros", "record it again"},
        {"<!DOCTYPE html><html><head><title>Sign in - Corp</title></head><body><input type=password></body></html>",
         "asks to log in", "fetch it again"},
        {"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "answer of an object store", "<Code>"},
        {"<html><body>404</body></html>", "\"base64\"", "a page about the file"},
        {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
         "\x80\x02M\xe9\x03."
         "\x80\x02}."
         "\x80\x02"
         "ccollections\nOrderedDict\n)R.",
         "checkpoint of torch.save", "_dump_snapshot()"},
        {"just some text", "is not a file that snapviewer can read", "expected a PyTorch memory snapshot"},
    };
    for (const KnownFile& row : rows) {
        const std::string why = refusal(row.bytes);
        EXPECT_NE(why.find(row.said), std::string::npos) << why;
        EXPECT_NE(why.find(row.to_do), std::string::npos) << why;
    }
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
    struct KnownFile {
        std::string bytes;
        const char* said;
        const char* to_do;
    };
    const std::string pprof = bytes_of({0x0a, 4, 8, 1, 0x10, 2, 0x0a, 4, 8, 3, 0x10, 4, 0x12, 2, 8, 1});
    const KnownFile rows[] = {
        {R"({"schemaVersion": 1, "deviceProperties": []})", "trace of torch.profiler", "_dump_snapshot()"},
        {R"({"metadata": {"a": 1}, "traceEvents": [{"ph": "X", "ts": 1}]})", "trace of torch.profiler", "Perfetto"},
        {R"([{"name": "x", "ph": "X", "ts": "1.5"}])", "trace of torch.profiler", "Perfetto"},
        {R"({"schemaVersion": 1, "traceEvents": [{"ph": "X")", "trace of torch.profiler", "Perfetto"},
        {pprof, "pprof", "-http"},
        {"NVIDIA Tegra Profiler Report 35528883.\n\x0b", "Nsight Systems", "nsys export --type sqlite"},
        {"AMD_RDF \x03" + std::string(60, '\0'), "Radeon Memory Visualizer", "open it there"},
        {"MINI" + bytes_of({1, 0, 0, 0, 0, 0, 0, 0}), "Radeon Memory Visualizer", "open it there"},
        {R"({"active.all.allocated": 3, "active.all.current": 1})", "memory_stats()", "_dump_snapshot()"},
        {R"({"active": {"all": {"current": 1}, "large_pool": {}, "small_pool": {}}})", "memory_stats()", "_dump_snapshot()"},
        {pickle_of_objects("allocated_bytes.all.current"), "memory_stats()", "_dump_snapshot()"},
        {"|=====|\n|   PyTorch CUDA memory summary, device ID 0   |\n", "memory_stats()", "_dump_snapshot()"},
        {pickle_of_objects("memories_allocated"), "MemoryTracker", "summary()"},
        {"\xEF\xBB\xBFID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr\r\n1,MALLOC,PTA\r\n",
         "msMemScope", "--data-format=db"},
        {"Record Index,Timestamp(us),Event,Event Type,Process Id,Thread Id,Device Id,Kernel Index,Flag,Addr,Size(byte)\n",
         "msMemScope", "--data-format=db"},
        {"Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB)\n",
         "operator_memory.csv", "ascend_pytorch_profiler_*.db"},
        {"Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Stream Ptr,Device Type\nPTA,1,2,3,4,NPU:0\n",
         "memory_record.csv", "ascend_pytorch_profiler_*.db"},
        {"step 1\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n", "log", "--log FILE"},
        {"[rank0]: OutOfMemoryError: HIP out of memory. Tried to allocate 1 GiB\n", "log", "--log FILE"},
        {"{\"step\": 1}\n{\"error\": \"NPU out of memory. Tried to allocate 1 GiB\"}\n", "log", "--log FILE"},
        {"(worker) started\n" + std::string(3'000'000, 'x') + "CUDA out of memory. Tried to allocate 2 GiB", "log",
         "--log FILE"},
    };
    for (const KnownFile& row : rows) {
        const auto loaded = test::load_bytes(row.bytes);
        ASSERT_FALSE(loaded.ok()) << row.said;
        const std::string& why = loaded.error().message;
        EXPECT_NE(why.find(row.said), std::string::npos) << why;
        EXPECT_NE(why.find(row.to_do), std::string::npos) << why;
        EXPECT_FALSE(loaded.error().offset.has_value()) << "a place says nothing of a file of another kind";
    }
}

TEST(WrongFile, WordsOfOtherToolsDoNotRefuseASnapshot) {
    const char* snapshot =
        R"({"user_metadata": "{\"traceEvents\": [], .all.allocated, memories_allocated, CUDA out of memory. Tried to allocate",
            "segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 2}]]})";
    EXPECT_EQ(refusal(snapshot), "it opens");
    EXPECT_EQ(refusal(bytes_of({0x0a, 4, 8, 1, 0x18, 2, 0x0a})).find("pprof"), std::string::npos);
}

TEST(WrongFile, AZipOfTorchSaveIsNamed) {
    const std::string pickle =
        "\x80\x02}q\x01"
        "ccollections\nOrderedDict\n.";
    const test::ZipText checkpoint = test::ZipText().member("model/data.pkl", pickle).member("model/version", "3\n");
    EXPECT_NE(refusal(checkpoint.bytes()).find("checkpoint of torch.save"), std::string::npos);
    const test::ZipText other = test::ZipText().member("notes.txt", "nothing");
    EXPECT_NE(refusal(other.bytes()).find("without a snapshot"), std::string::npos);
}

TEST(WrongFile, APageOfTheViewerMaySayLogin) {
    const std::string page =
        "<html><title>login_model.py</title>const local_files = [{\"name\": \"x\", \"base64\": \"gAJ9Lg==\"}]";
    EXPECT_EQ(refusal(page).find("asks to log in"), std::string::npos) << refusal(page);
}

TEST(WrongFile, APickleOfSomethingElseSaysOfWhat) {
    using test::PickleText;
    PickleText dict, many, words, list, settings;
    dict.proto(4).dict().entry("weights", 1).end_dict().raw(".");
    EXPECT_EQ(refusal(dict.bytes()),
              "is not a memory snapshot but a dict with the key \"weights\"; expected 'device_traces' or 'segments' in it");
    many.proto(4).dict();
    for (const char* key : {"a", "b", "c", "d", "e", "f", "g"}) many.entry(key, 1);
    many.end_dict().raw(".");
    EXPECT_NE(refusal(many.bytes()).find("a dict with the keys \"a\", \"b\", \"c\", \"d\", \"e\" and 2 more;"),
              std::string::npos)
        << refusal(many.bytes());
    words.proto(4).dict().number(7).number(1).text("\x1b[31mred\n" + std::string(500, 'x')).number(1).end_dict().raw(".");
    const std::string harmless = refusal(words.bytes());
    EXPECT_NE(harmless.find("the number 7"), std::string::npos) << harmless;
    EXPECT_EQ(harmless.find_first_of("\x1b\n"), std::string::npos) << "steers the terminal";
    EXPECT_LT(harmless.size(), 250U);
    list.proto(4).list().number(1).number(2).end_list().raw(".");
    EXPECT_EQ(refusal(list.bytes()), "holds a list of 2 values, but not a list of memory segments");
    EXPECT_EQ(refusal(PickleText().proto(4).raw("].").bytes()), "holds an empty list, but not a list of memory segments");
    EXPECT_NE(refusal(PickleText().proto(4).raw("}.").bytes()).find("an empty dict"), std::string::npos);
    EXPECT_NE(refusal(PickleText().proto(4).number(5).raw(".").bytes()).find("the number 5"), std::string::npos);
    EXPECT_NE(refusal(PickleText().proto(4).text("hi").raw(".").bytes()).find("the text \"hi\""), std::string::npos);
    EXPECT_NE(refusal(PickleText().proto(4).raw("N.").bytes()).find("None"), std::string::npos);
    EXPECT_NE(refusal(PickleText().proto(4).raw("\x88.").bytes()).find("the value true"), std::string::npos);
    EXPECT_NE(refusal(PickleText().proto(4).dict().raw("}K\x01").end_dict().raw(".").bytes()).find("the key a dict;"),
              std::string::npos);
    settings.proto(4).dict().entry("state", "x").end_dict().raw(".");
    EXPECT_NE(refusal(settings.bytes()).find("a dict such as the blocks of one"), std::string::npos)
        << refusal(settings.bytes());
}

TEST(WrongFile, APickleOfObjectsNamesThem) {
    EXPECT_NE(refusal("\x80\x02}q\x01"
                      "ccollections\nOrderedDict\n.")
                  .find("GLOBAL, for \"collections.OrderedDict\", which"),
              std::string::npos)
        << refusal(
               "\x80\x02}q\x01"
               "ccollections\nOrderedDict\n.");
    test::PickleText newer;
    newer.proto(4).text("torch._utils").text("_rebuild_tensor_v2").raw("\x93.");
    EXPECT_NE(refusal(newer.bytes()).find("STACK_GLOBAL, for \"torch._utils._rebuild_tensor_v2\", which"),
              std::string::npos);
    const std::string bare = refusal(test::PickleText().proto(4).raw("]\x93.").bytes());
    EXPECT_NE(bare.find("STACK_GLOBAL, which"), std::string::npos) << bare;
    EXPECT_NE(refusal("\x80\x02}q\x01"
                      "cno end of a line")
                  .find("GLOBAL, which"),
              std::string::npos);
}

}  // namespace
}  // namespace snapviewer
