// Tests of the details of one block of an Ascend profile. The expected values were computed by hand from a few rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/document/document.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

// A profile with one step: a convolution (thread 7) with a stack and a kernel, and its backward operation (thread 8) without
// a stack.
const char* const k_profile = R"(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES (1, 'aten::conv'), (2, 'aten::conv_backward'), (3, 'PTA'), (4, 'ProfilerStep#5'), (5, 'empty_tensor'),
  (6, 'model.py(3): forward'), (7, 'train.py(9): main'), (8, 'kernel_conv'), (9, '2,3;' || char(13, 10) || '4'), (10, 'Outer');
CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime, activeReleaseTime, allocationTotalAllocated, deviceId, streamPtr);
INSERT INTO OP_MEMORY VALUES (1, 1024, 1000000001500, 1000000009000, 1000000008500, 5120, 0, 2),
                             (2, 512, 1000000005500, NULL, NULL, 5632, 0, 2);
CREATE TABLE MEMORY_RECORD (component, timestamp, totalAllocated, totalReserved, totalActive, deviceId);
INSERT INTO MEMORY_RECORD VALUES (3, 1000000000000, 4096, 8192, 4096, 0), (3, 1000000001500, 5120, 8192, 5120, 0),
  (3, 1000000005500, 5632, 8192, 5632, 0), (3, 1000000007000, 2560, 8192, 2560, 0), (3, 1000000008500, 1536, 8192, 1536, 0);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid, connectionId, name, sequenceNumber, fwdThreadId, inputShapes, callchainId, type);
INSERT INTO PYTORCH_API VALUES ('1000000000000', '1000000020000', 7, NULL, 4, -1, 0, NULL, NULL, 50001),
  ('1000000001000', '1000000002000', 7, 70, 10, -1, 0, NULL, 21, 50001), ('1000000001200', '1000000001900', 7, NULL, 1, 33, 0, 9, 20, 50001),
  ('1000000001400', '1000000001600', 7, NULL, 5, -1, 0, NULL, NULL, 50001), ('1000000005000', '1000000006000', 8, NULL, 2, 33, 1, NULL, NULL, 50001);
CREATE TABLE PYTORCH_CALLCHAINS (id, stack, stackDepth);
INSERT INTO PYTORCH_CALLCHAINS VALUES (20, 6, 0), (20, 7, 1), (21, 7, 0);
CREATE TABLE CONNECTION_IDS (id, connectionId); INSERT INTO CONNECTION_IDS VALUES (70, 900);
CREATE TABLE TASK (startNs, endNs, connectionId, globalTaskId, taskType, streamId);
INSERT INTO TASK VALUES (1000001001500, 1000003001500, 900, 5, 3, 2);
CREATE TABLE COMPUTE_TASK_INFO (name, globalTaskId); INSERT INTO COMPUTE_TASK_INFO VALUES (8, 5);
)";

const DetailSection* find_section(const std::vector<DetailSection>& sections, const std::string& title) {
    for (const DetailSection& section : sections) {
        if (section.title == title) return &section;
    }
    return nullptr;
}

std::vector<std::string> lines(const DetailSection* section) {
    std::vector<std::string> found;
    if (section == nullptr) return found;
    for (const auto& [name, value] : section->rows) found.push_back(name.empty() ? value : name + "=" + value);
    return found;
}

class AscendDetails : public testing::Test {
protected:
    void SetUp() override {
        { const WrittenDatabase written(folder_.file("a.db"), k_profile); }
        before_ = folder_.state();
        Progress progress;
        auto document = open_document(folder_.file("a.db"), {}, progress);
        ASSERT_TRUE(document) << document.error().text();
        document_ = *document;
    }

    /// Polls the details until the operations have been read.
    std::vector<DetailSection> details(std::uint32_t allocation) {
        for (int attempt = 0; attempt < 200; ++attempt) {
            auto sections = document_->details->details(0, AllocationId{allocation});
            if (!sections) return {};
            if (find_section(*sections, "Operations") == nullptr) return *sections;
        }
        return {};
    }

    TestFolder folder_;
    std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> before_;
    std::shared_ptr<const Document> document_;
};

TEST_F(AscendDetails, MemoryFromBeforeIsWorkedOut) {
    const AllocationColumns& a = document_->snapshot->devices.at(0).allocations;
    // 4096 bytes exist at first; 3072 of them are freed at 1000000007000 ns, the rest stays.
    ASSERT_EQ(a.size(), 4U);
    EXPECT_EQ(a.size_bytes, (std::vector<std::uint64_t>{1024, 3072, 1024, 512}));
    EXPECT_EQ(a.origin[0], Origin::derived);
    EXPECT_EQ(a.state[0], AllocationState::live);
    EXPECT_EQ(a.origin[1], Origin::derived);
    EXPECT_EQ(a.state[1], AllocationState::freed);
    EXPECT_EQ(document_->snapshot->devices[0].events.time_us[a.free_event[1].value], 1000000007);
    EXPECT_EQ(document_->devices[0].timeline->peak_bytes(), 5632U);
    EXPECT_NE(find_section(details(0), "Before the profile"), nullptr);
}

TEST_F(AscendDetails, ForwardOperationHasItsStackShapesAndKernels) {
    const auto sections = details(2);
    EXPECT_EQ(lines(find_section(sections, "Operations, outermost first")),
              (std::vector<std::string>{"ProfilerStep#5", "Outer", "aten::conv"}));
    EXPECT_EQ(lines(find_section(sections, "Stack, innermost first")),
              (std::vector<std::string>{"model.py(3): forward", "train.py(9): main"}));
    EXPECT_EQ(lines(find_section(sections, "Inputs of aten::conv")), std::vector<std::string>{"shapes=2,3; 4"});
    EXPECT_EQ(lines(find_section(sections, "Kernels of Outer")),
              std::vector<std::string>{"kernel_conv=stream 2, 2.000 ms, 1.000 ms after the allocation"});
    const auto facts = lines(find_section(sections, "Profiled memory"));
    EXPECT_NE(std::ranges::find(facts, "freed=1970-01-01 00:16:40.000009000 UTC, after 0.007 ms"), facts.end());
}

TEST_F(AscendDetails, BackwardOperationHasTheForwardStack) {
    const auto sections = details(3);
    EXPECT_EQ(lines(find_section(sections, "Forward stack (aten::conv), innermost first")),
              (std::vector<std::string>{"model.py(3): forward", "train.py(9): main"}));
}

// Another rank on the same host: one block, 2 us after the first record of the other rank.
const char* const k_other_rank = R"(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO STRING_IDS VALUES (1, 'aten::mm'), (3, 'PTA');
CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime, activeReleaseTime, allocationTotalAllocated, deviceId, streamPtr);
INSERT INTO OP_MEMORY VALUES (1, 2048, 1000000002000, 1000000006000, 1000000006000, 2048, 1, 2);
CREATE TABLE MEMORY_RECORD (component, timestamp, totalAllocated, totalReserved, totalActive, deviceId);
INSERT INTO MEMORY_RECORD VALUES (3, 1000000002000, 2048, 8192, 2048, 1), (3, 1000000006000, 0, 8192, 0, 1);
CREATE TABLE RANK_DEVICE_MAP (rankId, deviceId); INSERT INTO RANK_DEVICE_MAP VALUES (5, 1);
)";

TEST_F(AscendDetails, TwoRanksAreSeenTogether) {
    { const WrittenDatabase written(folder_.file("b.db"), k_other_rank); }
    Progress progress;
    const auto both = open_document(folder_.file("a.db"), {.with = folder_.file("b.db")}, progress);
    ASSERT_TRUE(both) << both.error().text();
    document_ = *both;
    const std::vector<DeviceTrace>& devices = document_->snapshot->devices;
    ASSERT_EQ(devices.size(), 2U);
    EXPECT_EQ(devices[1].device, 1);
    EXPECT_EQ(devices[1].rank, "5");
    EXPECT_EQ(devices[0].rank, "");
    EXPECT_EQ(devices[1].allocations.size_bytes, std::vector<std::uint64_t>{2048});
    EXPECT_EQ(document_->devices[1].timeline->start_time_us() - document_->devices[0].timeline->start_time_us(), 2);
    EXPECT_EQ(lines(find_section(details(2), "Inputs of aten::conv")), std::vector<std::string>{"shapes=2,3; 4"});
    const auto of_other = document_->details->details(1, AllocationId{0});
    ASSERT_TRUE(of_other) << of_other.error().text();
    const auto facts = lines(find_section(*of_other, "Profiled memory"));
    EXPECT_NE(std::ranges::find(facts, "freed=1970-01-01 00:16:40.000006000 UTC, after 0.004 ms"), facts.end());
    const auto rows = document_->database->run("SELECT deviceId FROM other.OP_MEMORY WHERE size = 2048", {});
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ(rows->row_count(), 1U);
}

TEST_F(AscendDetails, TwoProfilesOfOneDeviceAreRefused) {
    { const WrittenDatabase written(folder_.file("b.db"), k_profile); }
    Progress progress;
    const auto both = open_document(folder_.file("a.db"), {.with = folder_.file("b.db")}, progress);
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().code, ErrorCode::bad_file);
    EXPECT_NE(both.error().message.find("device 0,"), std::string::npos) << both.error().message;
}

TEST_F(AscendDetails, NothingIsWritten) {
    details(2);
    document_.reset();
    EXPECT_TRUE(folder_.state() == before_);
}

}  // namespace
}  // namespace snapviewer
