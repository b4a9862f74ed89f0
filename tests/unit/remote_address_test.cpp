#include "core/base/addresses.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace snapviewer {
namespace {

/// "host|port|path" of an ssh address, the link of an http address, or "-" if the path is not remote.
std::string spelled(std::string_view path) {
    const auto address = remote_address(path);
    if (!address) return "-";
    if (address->transport == RemoteAddress::Transport::http) return address->link;
    return address->host + "|" + address->port + "|" + address->path;
}

TEST(RemoteAddress, OfSsh) {
    EXPECT_EQ(spelled("node7:/runs/a.pickle"), "node7||/runs/a.pickle");
    EXPECT_EQ(spelled("me@node7.example.org:runs/a.pickle"), "me@node7.example.org||runs/a.pickle");
    EXPECT_EQ(spelled("node:~/a b:c.pickle"), "node||~/a b:c.pickle");
    EXPECT_EQ(spelled("ssh://me@node7:2222/runs/a%20b.pickle"), "me@node7|2222|/runs/a b.pickle");
    EXPECT_EQ(spelled("ssh://node/~/a.pickle"), "node||~/a.pickle");
    EXPECT_EQ(spelled("ssh://[fe80::1]:22/a"), "fe80::1|22|/a");
    EXPECT_EQ(spelled("ssh://[fe80::1]/a"), "fe80::1||/a");
    EXPECT_EQ(spelled("ssh://n/a"), "n||/a");
}

TEST(RemoteAddress, FoldersAndWhatLiesInThem) {
    EXPECT_TRUE(is_remote_folder("node7:/runs/"));
    EXPECT_TRUE(is_remote_folder("ssh://node7/runs/"));
    EXPECT_FALSE(is_remote_folder("node7:/runs"));
    EXPECT_FALSE(is_remote_folder("https://node7/runs/"));
    EXPECT_FALSE(is_remote_folder("/runs/"));
    for (const char* path : {"/runs/a b.pickle", "runs/100%.pickle", "~/a", "/%41"}) {
        for (const char* folder :
             {"node7:/x/", "me@node7:x/", "ssh://n/x/", "ssh://me@node7:2222/x/", "ssh://me@[fe80::1]:22/x/"}) {
            const auto address = remote_address(folder);
            ASSERT_TRUE(address) << folder;
            const auto beside = remote_address(path_on_same_machine(*address, path));
            ASSERT_TRUE(beside) << path_on_same_machine(*address, path);
            EXPECT_EQ(beside->host + "|" + beside->port, address->host + "|" + address->port);
            const std::string home = std::string("~/") + path;
            EXPECT_TRUE(beside->path == path || beside->path == home) << beside->path;
        }
    }
}

TEST(RemoteAddress, OfTheWeb) {
    EXPECT_EQ(spelled("https://example.org/a.pickle?token=1"), "https://example.org/a.pickle?token=1");
    EXPECT_EQ(spelled("HTTP://example.org/a"), "HTTP://example.org/a");
    EXPECT_EQ(spelled("http://example.org/a b"), "-");
    EXPECT_EQ(spelled("http://"), "-");
}

TEST(RemoteAddress, PathsOfThisMachine) {
    for (const char* path :
         {"", "a.pickle", "/runs/a:b.pickle", "./node:/a", "runs/node:a", "node:", ":a", "C:/a", "C:\\a", "/dev/stdin"})
        EXPECT_EQ(spelled(path), "-") << path;
}

TEST(RemoteAddress, NamesThatWouldMeanMoreToSsh) {
    for (const char* path : {"-oProxyCommand=x:/a",
                             "a b:/c",
                             "$(x):/a",
                             "`x`:/a",
                             "a;b:/c",
                             "a\nb:/c",
                             "-l@node:/a",
                             "me@-oX:/a",
                             "a@b@-c:/d",
                             "ssh://-oX/a",
                             "ssh://node:0/a",
                             "ssh://node:65536/a",
                             "ssh://node:22x/a",
                             "ssh://node",
                             "ssh://node/",
                             "ssh:///a",
                             "ssh://node/a%00b",
                             "ssh://node/a%2",
                             "ssh://node/a%zz",
                             "ssh://me%40x@node/a"})
        EXPECT_EQ(spelled(path), "-") << path;
    EXPECT_EQ(spelled(std::string_view("node:/a\0b", 9)), "-");
    EXPECT_EQ(spelled("node:/" + std::string(9000, 'a')), "-");
}

}  // namespace
}  // namespace snapviewer
