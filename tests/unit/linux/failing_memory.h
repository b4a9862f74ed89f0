#pragma once

#include <cstdint>

/// Replaces malloc() of the test program, so that tests can make a chosen allocation fail. Allocations of C libraries always
/// succeed.
namespace snapviewer::test {

/// False in builds with sanitizers, which bring their own malloc().
bool can_fail_allocations();

/// RAII: makes the n-th allocation of the program fail, counted over all threads; none if `n` is 0.
class FailingAllocation {
public:
    explicit FailingAllocation(std::int64_t n);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;

    /// Number of allocations so far.
    std::int64_t count() const;
};

/// Number of memory blocks that are allocated now.
std::int64_t live_blocks();

}  // namespace snapviewer::test
