#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/features/fleet/fleet_data.h"
#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

/// RAII: limits the memory that the process may additionally allocate.
class ShortMemory {
public:
    explicit ShortMemory(std::uint64_t more_bytes) {
        getrlimit(RLIMIT_DATA, &before_);
        std::ifstream sizes("/proc/self/statm");
        std::uint64_t total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
        sizes >> total >> resident >> shared >> text >> library >> data;
        rlimit now = before_;
        now.rlim_cur = data * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
        setrlimit(RLIMIT_DATA, &now);
    }
    ~ShortMemory() { setrlimit(RLIMIT_DATA, &before_); }
    ShortMemory(const ShortMemory&) = delete;
    ShortMemory& operator=(const ShortMemory&) = delete;

private:
    rlimit before_{};
};

void write_rank(const std::filesystem::path& path, std::size_t allocations) {
    std::ofstream file(path);
    file << R"({"segments": [], "device_traces": [[)";
    for (std::size_t i = 0; i < allocations; ++i) {
        file << (i == 0 ? "" : ", ") << R"({"action": "alloc", "addr": )" << 512 * (i + 1)
             << R"(, "size": 512, "stream": 0, "frames": []})";
    }
    file << "]]}";
}

TEST(FleetReading, WhatLackedMemoryIsReadOnceThereIsMore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers end the process where memory is refused";
#endif
    const ScratchFolder folder;
    write_rank(folder.path() / "rank0.json", 10);
    write_rank(folder.path() / "rank1.json", 600'000);
    fleet::FleetReading reading({folder.path().string()});
    Progress progress;
    {
        const ShortMemory memory(24 << 20);
        ASSERT_TRUE(reading.read(progress));
        const auto shown = reading.shown();
        ASSERT_EQ(shown->ranks.size(), 2U);
        EXPECT_TRUE(shown->ranks[0].is_readable()) << shown->ranks[0].row.error;
        EXPECT_FALSE(shown->ranks[1].is_readable());
        ASSERT_EQ(reading.awaited().size(), 1U);
        EXPECT_EQ(reading.awaited().begin()->first, (folder.path() / "rank1.json").string());
        // Free memory has not grown, so no file is retried.
        ASSERT_TRUE(reading.read(progress));
        EXPECT_EQ(reading.shown()->read_count, 1U);
    }
    ASSERT_TRUE(reading.read(progress));
    EXPECT_EQ(reading.shown()->read_count, 2U);
    EXPECT_EQ(reading.shown()->ranks[1].row.peak_bytes, 600'000U * 512);
    EXPECT_TRUE(reading.awaited().empty());
}

}  // namespace
}  // namespace snapviewer
