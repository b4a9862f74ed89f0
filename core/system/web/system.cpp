// Memory, processes and clocks of a web page, and stubs of functions that a page cannot have.
#include <emscripten.h>
#include <emscripten/heap.h>
#include <malloc.h>
#include <unistd.h>
#include <wasm_simd128.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/system/memory.h"
#include "core/system/posix/files.h"
#include "core/system/processes.h"
#include "core/system/sandbox.h"
#include "core/system/threads.h"

EM_JS(int, snapviewer_is_in_page, (),
      { return typeof document != "undefined" || typeof WorkerGlobalScope != "undefined" ? 1 : 0; });

namespace snapviewer {

/// The memory by which the page's heap can grow, plus freed memory within the heap.
std::uint64_t available_memory_bytes() {
    const struct mallinfo used = ::mallinfo();
    return ::emscripten_get_heap_max() - ::emscripten_get_heap_size() + static_cast<std::uint64_t>(used.fordblks);
}

std::uint64_t held_memory_bytes() {
    const struct mallinfo used = ::mallinfo();
    return static_cast<std::uint64_t>(used.uordblks);
}

/// The heap of a page never shrinks, so its present size is the peak.
std::uint64_t peak_memory_bytes() { return ::emscripten_get_heap_size(); }
std::size_t allocated_bytes(void* block) { return ::malloc_usable_size(block); }
void limit_memory_of_process(std::uint64_t /*bytes*/) {}
bool make_resident(std::span<const std::byte> /*memory*/) { return false; }
namespace {

constexpr double k_ns_per_ms = 1e6;
constexpr double k_max_interval_ms = 5;

struct SpentTime {
    double checked_at_ms = ::emscripten_get_now();
    double spent_ms = 0;
};

/// A program that is linked without threads has no thread-local storage, so it uses a static variable.
SpentTime& time_of_this_thread() {
    static SpentTime alone;
    if (!has_threads()) return alone;
    thread_local SpentTime of_thread;
    return of_thread;
}

}  // namespace

/// Browsers do not report the CPU time of threads, so this measures elapsed time between calls. Each interval counts for at
/// most 5 ms, because the thread or the whole machine may have slept.
std::uint64_t thread_time_ns() {
    SpentTime& time = time_of_this_thread();
    const double now_ms = ::emscripten_get_now();
    time.spent_ms += std::min(now_ms - time.checked_at_ms, k_max_interval_ms);
    time.checked_at_ms = now_ms;
    return static_cast<std::uint64_t>(time.spent_ms * k_ns_per_ms);
}

std::int64_t coarse_time_ns() { return static_cast<std::int64_t>(::emscripten_get_now() * k_ns_per_ms); }
std::filesystem::path program_path() { return {}; }
void end_commands_on_exit() {}
void end_with_parent() {}
bool open_pipe(int (&ends)[2]) { return ::pipe(ends) == 0; }
int open_tcp_socket() { return -1; }
int accept_tcp_socket(int /*listener*/) { return -1; }
void report_refused_calls() {}

/// The browser is the sandbox of a page: the page reaches only the files that the user gives it, and can start no programs.
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) {
    if (snapviewer_is_in_page() != 0) return {.filters_calls = true, .guards_files = true};
    return {.why_not = "node has none"};
}

}  // namespace snapviewer

namespace {

std::uint64_t word_at(const unsigned char* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

v128_t difference(const unsigned char* left, const unsigned char* right) {
    return wasm_v128_xor(wasm_v128_load(left), wasm_v128_load(right));
}

}  // namespace

// Replaces the C library's memcmp() in the whole program. Emscripten's version compares byte by byte unless both sides begin
// at a multiple of four, and comparing stacks with earlier ones takes a good part of the time in which a snapshot is read
// (core/load/pytorch/memo.h).
extern "C" int memcmp(const void* left, const void* right, std::size_t size_bytes) {
    const auto* a = static_cast<const unsigned char*>(left);
    const auto* b = static_cast<const unsigned char*>(right);
    for (; size_bytes >= 32; a += 32, b += 32, size_bytes -= 32)
        if (wasm_v128_any_true(wasm_v128_or(difference(a, b), difference(a + 16, b + 16)))) break;
    for (; size_bytes >= 8; a += 8, b += 8, size_bytes -= 8)
        if (word_at(a) != word_at(b)) break;
    for (; size_bytes > 0; ++a, ++b, --size_bytes)
        if (*a != *b) return *a - *b;
    return 0;
}
