#include "core/load/wrong_file.h"

#include <gtest/gtest.h>

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
        {std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15), "checkpoint of torch.save",
         "_dump_snapshot()"},
        {"just some text", "is not a file that snapviewer can read", "expected a PyTorch memory snapshot"},
    };
    for (const KnownFile& row : rows) {
        const std::string why = refusal(row.bytes);
        EXPECT_NE(why.find(row.said), std::string::npos) << why;
        EXPECT_NE(why.find(row.to_do), std::string::npos) << why;
    }
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
