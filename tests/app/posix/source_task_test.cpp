#include "app/features/details/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "app/ui/sandboxed.h"
#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

std::vector<std::string> lines_read(const std::vector<details::SourcePlace>& places, const std::vector<std::string>& roots) {
    std::vector<std::string> texts;
    // On its own thread, because it is put into the sandbox, as the program does.
    std::thread([&] {
        enter_sandbox_here({});
        texts = details::read_source_lines(places, roots, Progress());
    }).join();
    return texts;
}

TEST(SourceTask, ReadsTheLinesThatAreThere) {
    const ScratchFolder folder;
    const std::string path = folder.path() / "train.py";
    std::ofstream(path, std::ios::binary) << "import torch\r\n\tx = torch.zeros(3)  \n\nlast \xff line";
    EXPECT_EQ(lines_read({{path, 1}, {path, 2}, {path, 3}, {path, 4}, {path, 5}, {path, 4'000'000'000}, {path, 0}},
                         {folder.path()}),
              (std::vector<std::string>{"import torch", "x = torch.zeros(3)", "", "last \xEF\xBF\xBD line", "", "", ""}));
}

TEST(SourceTask, ReadsNothingThatIsNoSourceFile) {
    const ScratchFolder folder;
    const std::string secret = folder.path() / "key.pem";
    std::ofstream(secret) << "secret\n";
    const std::string pipe = folder.path() / "pipe.py";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::string large = folder.path() / "large.py";
    std::ofstream(large) << std::string((4 << 20) + 1, 'x');
    EXPECT_EQ(
        lines_read({{secret, 1}, {pipe, 1}, {large, 1}, {folder.path() / "gone.py", 1}, {"/proc/self/maps", 1}}, {"/"}),
        std::vector<std::string>(5));
}

TEST(SourceTask, ReadsNothingBesideTheRoots) {
    const ScratchFolder folder;
    const std::filesystem::path base = folder.path();
    for (const char* name : {"mine", "mine too", "other"}) {
        std::filesystem::create_directory(base / name);
        std::ofstream(base / name / "a.py") << name << "\n";
    }
    std::filesystem::create_symlink(base / "other" / "a.py", base / "mine" / "out.py");
    std::filesystem::create_symlink("a.py", base / "mine" / "in.py");
    std::filesystem::create_directory_symlink(base / "mine", base / "link");
    std::filesystem::create_symlink("/proc/self/environ", base / "mine" / "proc.py");
    const auto at = [&](const char* path) { return details::SourcePlace{base.string() + path, 1}; };
    const std::vector<std::string> none = {"", "", "", "", ""};
    EXPECT_EQ(lines_read({at("/mine/a.py"), at("/mine//./a.py"), at("/other/../mine/a.py"), at("/mine/in.py")},
                         {(base / "mine").string()}),
              (std::vector<std::string>{"mine", "mine", "mine", "mine"}));
    EXPECT_EQ(lines_read({at("/other/a.py"), at("/mine/../other/a.py"), at("/mine too/a.py"), at("/mine/out.py"),
                          at("/mine/proc.py")},
                         {(base / "mine").string()}),
              none);
    EXPECT_EQ(lines_read({at("/link/a.py")}, {(base / "link").string()}), std::vector<std::string>{"mine"});
    EXPECT_EQ(lines_read({at("/mine/a.py")}, {}), std::vector<std::string>{""});
}

}  // namespace
}  // namespace snapviewer
