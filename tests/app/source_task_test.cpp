#include "app/jobs/source_task.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

std::vector<std::string> lines_read(std::vector<SourcePlace> places) {
    SourceLines read;
    // The sandbox holds for good, so for a thread of its own.
    std::thread([&] {
        Progress progress;
        read = reading_lines(std::move(places))(progress);
    }).join();
    return read.texts;
}

TEST(SourceTask, ReadsTheLinesThatAreThere) {
    const ScratchFolder folder;
    const std::string path = folder.path() / "train.py";
    std::ofstream(path, std::ios::binary) << "import torch\r\n\tx = torch.zeros(3)  \n\nlast \xff line";
    EXPECT_EQ(lines_read({{path, 1}, {path, 2}, {path, 3}, {path, 4}, {path, 5}, {path, 4'000'000'000}, {path, 0}}),
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
    EXPECT_EQ(lines_read({{secret, 1}, {pipe, 1}, {large, 1}, {folder.path() / "gone.py", 1}, {"/proc/self/maps", 1}}),
              std::vector<std::string>(5));
}

}  // namespace
}  // namespace snapviewer
