#pragma once

#include <cstdint>

/// Replaces malloc() of the test program, so that a test can have one of its allocations fail. Those of libraries of C
/// succeed.
namespace snapviewer::test {

/// False in builds with sanitizers, which have a malloc() of their own.
bool can_fail_allocations();

/// While it lives, the n-th allocation of any thread fails; none if `n` is 0.
class FailingAllocation {
public:
    explicit FailingAllocation(std::int64_t n);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;

    /// How many allocations there were.
    std::int64_t count() const;
};

/// How many blocks of memory are allocated now.
std::int64_t live_blocks();

}  // namespace snapviewer::test
