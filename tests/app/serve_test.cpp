#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/serve/answers.h"
#include "app/serve/file_pages.h"
#include "app/serve/http_message.h"
#include "app/serve/served_folder.h"
#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

using Names = std::vector<std::string>;

TEST(HtmlTest, TextsStayTexts) {
    EXPECT_EQ(serve::html_text("<a href='x'>\"&amp;\""), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;&quot;");
    EXPECT_EQ(serve::html_text("a\x01\x7f\xff\nb"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\nb");
    EXPECT_EQ(serve::html_name("a\nb"), "a b");
}

TEST(HtmlTest, TheWayUp) {
    const Names names = {"a", "<b>"};
    EXPECT_EQ(serve::html_way("/runs", names),
              "<p><a href=\"../../\">/runs</a> / <a href=\"../\">a</a> / <strong>&lt;b&gt;</strong></p>\n");
    EXPECT_EQ(serve::html_way("/runs", {}), "<p><strong>/runs</strong></p>\n");
}

TEST(PictureRequestTest, TakesTheOptionsOfRenderThatAreOffered) {
    const auto spec = serve::picture_asked_for({{"size", "400x300"},
                                                {"device", "1"},
                                                {"axis", "time"},
                                                {"search", ""},
                                                {"json", ""},
                                                {"out", "/etc/passwd"},
                                                {"with", "/etc/passwd"},
                                                {"rules", "/etc/passwd"},
                                                {"remembered", "1"}});
    ASSERT_TRUE(spec.ok());
    EXPECT_EQ(spec->size, "400x300");
    EXPECT_EQ(spec->device, 1);
    EXPECT_EQ(spec->axis, "time");
    EXPECT_EQ(spec->out + spec->with + spec->rules, "");
    EXPECT_FALSE(spec->remembered);
}

TEST(PictureRequestTest, SaysWhatIsWrong) {
    for (const auto& [name, value] :
         save_picture::Parameters{{"size", "x"}, {"device", "a"}, {"axis", "up"}, {"view", "2:1"}, {"select", "-1"}}) {
        const auto spec = serve::picture_asked_for({{name, value}});
        ASSERT_FALSE(spec.ok()) << name;
        EXPECT_TRUE(spec.error().message.starts_with(name + ": ")) << spec.error().message;
    }
    EXPECT_FALSE(serve::picture_asked_for({{"size", "8000x8000"}}).ok());
}

TEST(PictureRequestTest, Zoom) {
    const serve::PictureWidth width{1000, 2e6};
    const std::string whole = serve::zoom_links({{"theme", "light"}}, width);
    EXPECT_NE(whole.find("axis=steps&amp;theme=light&amp;view=250%3A750\">zoom in"), whole.npos) << whole;
    const std::string part = serve::zoom_links({{"view", "400:600"}, {"axis", "time"}}, width);
    EXPECT_NE(part.find("view=450%3A550\">zoom in"), part.npos) << part;
    EXPECT_NE(part.find("view=300%3A700\">zoom out"), part.npos) << part;
    EXPECT_NE(part.find("view=300%3A500\">left"), part.npos) << part;
    EXPECT_NE(part.find("view=500%3A700\">right"), part.npos) << part;
    EXPECT_NE(part.find("view=0%3A2000000\">all of it"), part.npos) << part;
    EXPECT_EQ(serve::zoom_links({}, {}), "");
}

TEST(ServedFolderTest, ShowsSnapshotsAndFoldersBelowIt) {
    ScratchFolder folder;
    folder.write("secret.pickle", "x");
    folder.write("runs/sub/a.pickle", "12345");
    folder.write("runs/notes.txt", "x");
    folder.write("runs/.hidden.pickle", "x");
    std::filesystem::create_symlink(folder.path() / "secret.pickle", folder.path() / "runs" / "out.pickle");
    std::filesystem::create_symlink("sub/a.pickle", folder.path() / "runs" / "in.pickle");
    const auto served = serve::ServedFolder::open((folder.path() / "runs").string());
    ASSERT_TRUE(served.ok());
    const auto file = served->find(Names{"sub", "a.pickle", "query"});
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->kind, serve::ServedPlace::Kind::file);
    EXPECT_EQ(file->size_bytes, 5U);
    EXPECT_EQ(file->used_names, 2U);
    EXPECT_TRUE(served->find(Names{"sub"})->is_folder());
    EXPECT_TRUE(served->find(Names{"in.pickle"}).has_value());
    for (const char* name : {"out.pickle", "notes.txt", "absent.pickle"})
        EXPECT_FALSE(served->find(Names{name}).has_value()) << name;
    const std::vector<serve::ServedPlace> places = served->list(*served->find({}), {}).value();
    Names listed;
    for (const serve::ServedPlace& place : places) listed.push_back(place.name);
    std::ranges::sort(listed);
    EXPECT_EQ(listed, (Names{"in.pickle", "sub"}));
    EXPECT_FALSE(served->may_show((folder.path() / "secret.pickle").string()));
}

TEST(ServedFolderTest, AFolderOfTwoFilesIsOneSnapshot) {
    ScratchFolder folder;
    folder.write("secret.json", "x");
    for (const char* name : {"runs/whole/", "runs/leads-out/"}) {
        folder.write(std::string(name) + "allocations.json", "[]");
        folder.write(std::string(name) + "elements.db", "x");
    }
    const auto served = serve::ServedFolder::open((folder.path() / "runs").string());
    ASSERT_TRUE(served.ok());
    EXPECT_EQ(served->find(Names{"whole"})->kind, serve::ServedPlace::Kind::trace_folder);
    EXPECT_EQ(served->find(Names{"whole", "allocations.json"})->used_names, 1U);
    EXPECT_TRUE(served->find(Names{"leads-out"}).has_value());
    std::filesystem::remove(folder.path() / "runs/leads-out/allocations.json");
    std::filesystem::create_symlink(folder.path() / "secret.json", folder.path() / "runs/leads-out/allocations.json");
    EXPECT_FALSE(served->find(Names{"leads-out"}).has_value());
    std::filesystem::remove(folder.path() / "runs/whole/elements.db");
    EXPECT_TRUE(served->find(Names{"whole"})->is_folder());
    folder.write("runs/whole/elements.db", "x");
    EXPECT_TRUE(serve::ServedFolder::open((folder.path() / "runs/whole").string()).ok());
}

TEST(RequestHeadTest, ItsLength) {
    EXPECT_EQ(serve::head_length("GET / HTTP/1.1\r\n\r\nrest", 0), 18U);
    EXPECT_EQ(serve::head_length("GET / HTTP/1.1\r\n\r\n", 17), 18U);
    EXPECT_EQ(serve::head_length("GET / HTTP/1.1\r\n\r", 0), 0U);
    EXPECT_EQ(serve::head_length("", 0), 0U);
}

TEST(RequestHeadTest, Targets) {
    EXPECT_EQ(serve::target_of_head("GET /a?b HTTP/1.1\r\nHost: x\r\nX-Y:\r\n\r\n"), "/a?b");
    EXPECT_EQ(serve::target_of_head("POST / HTTP/1.0\r\nContent-Length:\t12 \r\n\r\n"), "/");
    for (const char* head :
         {"", "\r\n\r\n", "GET / HTTP/1.1\r\n", "GET /\r\n\r\n", "GET / HTTP/1.2\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
          "GET a HTTP/1.1\r\n\r\n", "GET /\x7f HTTP/1.1\r\n\r\n", "BREW / HTTP/1.1\r\n\r\n",
          "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length : 1\r\n\r\n",
          "GET / HTTP/1.1\r\nX: a\nb\r\n\r\n", "GET / HTTP/1.1\r\nRange: bytes=0-0,1-1,2-2\r\nContent-Length: -1\r\n\r\n"})
        EXPECT_FALSE(serve::target_of_head(head).has_value()) << head;
}

TEST(ServedFolderTest, WhatIsReadWithAFileMayNotLeadOut) {
    ScratchFolder folder;
    folder.write("secret.json", "{}");
    folder.write("runs/a.pickle", "x");
    folder.write("runs/a.about.json", "{}");
    const auto served = serve::ServedFolder::open((folder.path() / "runs").string());
    ASSERT_TRUE(served.ok());
    EXPECT_TRUE(served->find(Names{"a.pickle"}).has_value());
    for (const char* name : {"a.pickle-wal", "a.pickle-journal"}) {
        std::filesystem::create_symlink(folder.path() / "secret.json", folder.path() / "runs" / name);
        EXPECT_FALSE(served->find(Names{"a.pickle"}).has_value()) << name;
        std::filesystem::remove(folder.path() / "runs" / name);
    }
    std::filesystem::remove(folder.path() / "runs/a.about.json");
    for (const char* target : {"../secret.json", "../absent.json"}) {
        std::filesystem::create_symlink(target, folder.path() / "runs/a.about.json");
        EXPECT_FALSE(served->find(Names{"a.pickle"}).has_value()) << target;
        std::filesystem::remove(folder.path() / "runs/a.about.json");
    }
    folder.write("runs/inside.json", "{}");
    std::filesystem::create_symlink("inside.json", folder.path() / "runs/a.about.json");
    EXPECT_TRUE(served->find(Names{"a.pickle"}).has_value());
}

TEST(ServedFolderTest, AFileChangesItsVersion) {
    ScratchFolder folder;
    const std::string path = folder.write("a.db", "1");
    const auto served = serve::ServedFolder::open(path);
    ASSERT_TRUE(served.ok());
    folder.write("b.db", "1");
    EXPECT_EQ(served->list(*served->find({}), {}).value().size(), 1U);
    EXPECT_FALSE(served->may_show((folder.path() / "b.db").string()));
    std::string before = served->find(Names{"a.db"})->version;
    for (const char* name : {"a.db-wal", "a.db-journal", "a.db.about.json", "a.about.json"}) {
        folder.write(name, "2");
        const std::string after = served->find(Names{"a.db"})->version;
        EXPECT_NE(after, before) << name;
        before = after;
    }
    const auto written = std::filesystem::last_write_time(path);
    std::filesystem::rename(folder.write("c.db", "2"), path);
    std::filesystem::last_write_time(path, written);
    EXPECT_NE(served->find(Names{"a.db"})->version, before);
    EXPECT_FALSE(serve::ServedFolder::open((folder.path() / "a.db-wal").string()).ok());
    EXPECT_FALSE(serve::ServedFolder::open((folder.path() / "absent").string()).ok());
}

}  // namespace
}  // namespace snapviewer
