#include "tests/unit/linux/failing_memory.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace snapviewer::test {
namespace {

std::atomic<std::int64_t> g_live_blocks{0};
std::atomic<std::int64_t> g_allocations{0};
std::atomic<std::int64_t> g_failing{0};  ///< number of the allocation that must fail, or 0

}  // namespace

FailingAllocation::FailingAllocation(std::int64_t n) {
    g_allocations = 0;
    g_failing = n;
}

FailingAllocation::~FailingAllocation() { g_failing = 0; }

std::int64_t FailingAllocation::count() const { return g_allocations; }

std::int64_t live_blocks() { return g_live_blocks; }

#if defined(SNAPVIEWER_UNCHARGED_NEW) || !defined(__GLIBC__)

bool can_fail_allocations() { return false; }

#else

bool can_fail_allocations() { return true; }

#endif

}  // namespace snapviewer::test

#if !defined(SNAPVIEWER_UNCHARGED_NEW) && defined(__GLIBC__)

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);

// Symbols of the linker for the bounds of the program's code.
extern const char __executable_start;
extern const char etext;

namespace {

void* counted(void* block) {
    if (block != nullptr) ++snapviewer::test::g_live_blocks;
    return block;
}

/// True if the caller is code of the program, which includes operator new for the standard library. C libraries are
/// excluded, because some of them leak or misinterpret a lack of memory.
bool is_called_by_program(const void* caller) { return caller >= &__executable_start && caller < &etext; }

bool must_fail(const void* caller) {
    if (!is_called_by_program(caller) || ++snapviewer::test::g_allocations != snapviewer::test::g_failing) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

void* malloc(std::size_t bytes) { return must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_malloc(bytes)); }

void* calloc(std::size_t count, std::size_t bytes) {
    return must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_calloc(count, bytes));
}

void* realloc(void* block, std::size_t bytes) {
    if (must_fail(__builtin_return_address(0))) return nullptr;
    void* const moved = __libc_realloc(block, bytes);
    if (block == nullptr) return counted(moved);
    if (moved == nullptr && bytes == 0) --snapviewer::test::g_live_blocks;
    return moved;
}

void* memalign(std::size_t alignment, std::size_t bytes) {
    return must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
    *block = must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_memalign(alignment, bytes));
    return *block == nullptr ? ENOMEM : 0;
}

void free(void* block) {
    if (block != nullptr) --snapviewer::test::g_live_blocks;
    __libc_free(block);
}

}  // extern "C"

#endif
