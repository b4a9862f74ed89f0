// Tests of PyTorch's out-of-memory errors as text. The expected values for each version were computed by hand.
#include <gtest/gtest.h>

#include "core/analysis/oom/card_use.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_one_mib = 1 << 20;
constexpr std::uint64_t k_one_gib = 1 << 30;

std::uint64_t bytes_of(const std::optional<oom::RoundedBytes>& told) { return told ? told->bytes : ~std::uint64_t{0}; }

TEST(OomMessage, since_2_3_names_processes_and_private_pools) {
    const auto figures = oom::read_oom_message(
        "out of memory. Tried to allocate 20.00 MiB. GPU 3 has a total capacity of 80.00 GiB of which 16.00 MiB is free. "
        "Process 12345 has 11.50 GiB memory in use. Including non-PyTorch memory, this process has 68.25 GiB memory in use. "
        "Process 7 has 512.00 MiB memory in use. 72.00 GiB allowed; Of the allocated memory 60.00 GiB is allocated by "
        "PyTorch, "
        "with 2.00 GiB allocated in private pools (e.g., CUDA Graphs), and 5.00 GiB is reserved by PyTorch but unallocated. "
        "If");
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->device, 3);
    EXPECT_EQ(bytes_of(figures->demand), 20 * k_one_mib);
    EXPECT_EQ(bytes_of(figures->total), 80 * k_one_gib);
    EXPECT_EQ(bytes_of(figures->free), 16 * k_one_mib);
    EXPECT_EQ(bytes_of(figures->this_process), 68 * k_one_gib + k_one_gib / 4);
    ASSERT_EQ(figures->processes.size(), 2U);
    EXPECT_EQ(figures->processes[0].pid, 12345U);
    EXPECT_EQ(figures->processes[0].used.bytes, 11 * k_one_gib + k_one_gib / 2);
    EXPECT_EQ(figures->processes[1].used.bytes, k_one_gib / 2);
    // The number that PyTorch calls "allocated in private pools" is idle memory.
    EXPECT_EQ(bytes_of(figures->allocated), 58 * k_one_gib);
    EXPECT_EQ(bytes_of(figures->private_idle), 2 * k_one_gib);
    EXPECT_EQ(bytes_of(figures->reserved), 65 * k_one_gib);
    EXPECT_EQ(bytes_of(figures->allowed), 72 * k_one_gib);
    // The rounding error: half of a hundredth of a GiB, rounded up.
    EXPECT_EQ(figures->total->max_error_bytes, k_one_gib / 200 + 1);
}

TEST(OomMessage, without_nvml_the_process_has_an_impossible_amount) {
    const auto figures = oom::read_oom_message(
        "out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. "
        "Process 31 has 17179869184.00 GiB memory in use. Including non-PyTorch memory, this process has 17179869184.00 GiB "
        "memory in use. 7.00 GiB allowed; Of the allocated memory 12.50 GiB is allocated by PyTorch, and 1.00 GiB is "
        "reserved by PyTorch but unallocated.");
    ASSERT_TRUE(figures);
    EXPECT_FALSE(figures->this_process);
    EXPECT_TRUE(figures->processes.empty());
    EXPECT_EQ(bytes_of(figures->allowed), 7 * k_one_gib);
    EXPECT_EQ(bytes_of(figures->reserved), 13 * k_one_gib + k_one_gib / 2);
}

TEST(OomMessage, of_2_1_misspells_capacity_and_knows_no_pools) {
    const auto figures = oom::read_oom_message(
        "out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacty of 23.69 GiB of which 7.11 GiB is free. "
        "Process "
        "2006998 has 256.00 MiB memory in use. Including non-PyTorch memory, this process has 16.31 GiB memory in use. Of "
        "the "
        "allocated memory 16.01 GiB is allocated by PyTorch, and 7.47 MiB is reserved by PyTorch but unallocated. If "
        "reserved");
    ASSERT_TRUE(figures);
    EXPECT_EQ(bytes_of(figures->total), 25436943811U);  // 23 * 2^30 + 740881858.56
    EXPECT_FALSE(figures->private_idle);
    EXPECT_EQ(bytes_of(figures->reserved), bytes_of(figures->allocated) + 7832863U);  // 7.47 * 2^20 = 7832862.72
}

TEST(OomMessage, of_rocm_and_xpu_names_no_processes) {
    const auto rocm = oom::read_oom_message(
        "out of memory. Tried to allocate 978.00 MiB. GPU 0 has a total capacity of 15.98 GiB of which 630.00 MiB is free. "
        "Of "
        "the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. If");
    ASSERT_TRUE(rocm);
    EXPECT_EQ(bytes_of(rocm->allocated), 0U);
    EXPECT_EQ(bytes_of(rocm->reserved), 0U);
    EXPECT_TRUE(rocm->processes.empty());
    EXPECT_FALSE(rocm->this_process);
    const auto xpu = oom::read_oom_message(
        "out of memory. Tried to allocate 59.61 GiB. GPU 1 has a total capacity of 28.55 GiB of which 12.01 GiB is free. "
        "10.00 GiB allowed; Of the allocated memory 10.43 GiB is allocated by PyTorch, and 94.57 MiB is reserved by PyTorch "
        "but unallocated. Please use `empty_cache` to release all unoccupied cached memory.");
    ASSERT_TRUE(xpu);
    EXPECT_EQ(xpu->device, 1);
    EXPECT_TRUE(xpu->reserved);
}

TEST(OomMessage, before_2_1_is_a_list) {
    const auto figures = oom::read_oom_message(
        "out of memory. Tried to allocate 2.00 GiB (GPU 2; 16.00 GiB total capacity; 13.50 GiB already allocated; 1.25 GiB "
        "free; 12.00 GiB allowed; 13.75 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory");
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->device, 2);
    EXPECT_EQ(bytes_of(figures->total), 16 * k_one_gib);
    EXPECT_EQ(bytes_of(figures->allocated), 13 * k_one_gib + k_one_gib / 2);
    EXPECT_EQ(bytes_of(figures->free), k_one_gib + k_one_gib / 4);
    EXPECT_EQ(bytes_of(figures->reserved), 13 * k_one_gib + 3 * k_one_gib / 4);
}

TEST(OomMessage, up_to_1_3_says_what_is_cached_besides) {
    const auto figures = oom::read_oom_message(
        "out of memory. Tried to allocate 12.50 MiB (GPU 0; 10.00 GiB total capacity; 8.00 GiB already allocated; 4.00 MiB "
        "free; 512.00 MiB cached)");
    ASSERT_TRUE(figures);
    EXPECT_EQ(bytes_of(figures->reserved), 8 * k_one_gib + k_one_gib / 2);
}

TEST(OomMessage, of_ascend_names_what_is_active) {
    const auto figures = oom::read_oom_message(
        "out of memory. Tried to allocate 260.00 MiB (NPU 4; 28.50 GiB total capacity; 10.25 GiB already allocated; 10.25 "
        "GiB "
        "current active; 150.00 MiB free; 10.50 GiB reserved in total by PyTorch) If");
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->device, 4);
    EXPECT_EQ(bytes_of(figures->free), 150 * k_one_mib);
    EXPECT_EQ(bytes_of(figures->reserved), 10 * k_one_gib + k_one_gib / 2);
}

TEST(OomMessage, may_be_broken_into_lines_and_cut_off) {
    const auto broken = oom::read_oom_message(
        "out of memory. Tried to allocate 298.00\nMiB.\r\n  GPU 0 has a total capacity of 44.39 GiB of which 12.06 MiB is "
        "free.\nProcess 6324 has 8.00 GiB memory in use.\nIncluding non-PyTorch memory, this process has 36.30 GiB mem");
    ASSERT_TRUE(broken);
    ASSERT_EQ(broken->processes.size(), 1U);
    EXPECT_EQ(broken->processes[0].used.bytes, 8 * k_one_gib);
    EXPECT_FALSE(broken->this_process);
    EXPECT_FALSE(broken->reserved);
    EXPECT_FALSE(
        oom::read_oom_message("out of memory. Tried to allocate 298.00 MiB. GPU 0 has a total capacity of 44.39 Gi"));
    EXPECT_FALSE(oom::read_oom_message("out of memory. Tried to allocate 6.00 GiB on this machine"));
    EXPECT_FALSE(oom::read_oom_message("out of memory. Tried to allocate "));
}

TEST(OomMessage, numbers_that_no_card_has_are_none) {
    const auto with_total = [](const std::string& total) {
        return oom::read_oom_message("out of memory. Tried to allocate 1 bytes. GPU 0 has a total capacity of " + total +
                                     " of which 0 bytes is free. ");
    };
    EXPECT_TRUE(with_total("1024.00 GiB"));
    for (const char* total : {"99999999999999999999.00 GiB", "999999999999.00 TiB", "1.0000000000000000000001 GiB",
                              "-1.00 GiB", "inf GiB", "1.00 EiB", "1.0e3 GiB", ""})
        EXPECT_FALSE(with_total(total)) << total;
    EXPECT_FALSE(oom::read_oom_message(
        "out of memory. Tried to allocate 1 bytes. GPU 99999999999 has a total capacity of 1.00 GiB of "
        "which 0 bytes is free. "));
}

TEST(OomMessage, the_last_of_a_text_is_taken) {
    const auto message = [](int device) {
        return "RuntimeError: CUDA out of memory. Tried to allocate 1.00 GiB (GPU " + std::to_string(device) +
               "; 8.00 GiB total capacity; 1.00 GiB already allocated; 2.00 MiB free; 2.00 GiB reserved in total by "
               "PyTorch)\n";
    };
    const auto last = oom::last_oom_message(message(1) + message(2) + "CUDA out of memory. Tried to allocate a lot");
    ASSERT_TRUE(last);
    EXPECT_EQ(last->device, 2);
    EXPECT_FALSE(oom::last_oom_message("no such thing"));
    EXPECT_FALSE(oom::last_oom_message(""));
}

TEST(OomMessage, a_line_names_its_rank) {
    EXPECT_EQ(oom::rank_before_message("[rank3]: torch.OutOfMemoryError: CUDA "), 3U);
    EXPECT_EQ(oom::rank_before_message("[default12]:RuntimeError: CUDA "), 12U);
    EXPECT_EQ(oom::rank_before_message("2026-11-26 ERROR Rank 5 | CUDA "), 5U);
    EXPECT_EQ(oom::rank_before_message("7: RuntimeError: CUDA "), 7U);
    EXPECT_EQ(oom::rank_before_message("[7]: CUDA "), 7U);
    EXPECT_EQ(oom::rank_before_message("12:30:07 CUDA "), std::nullopt);
    EXPECT_EQ(oom::rank_before_message("local_rank=3 CUDA "), std::nullopt);
    EXPECT_EQ(oom::rank_before_message("rank 99999999999: CUDA "), std::nullopt);
    EXPECT_EQ(oom::rank_before_message(""), std::nullopt);
}

}  // namespace
}  // namespace snapviewer
