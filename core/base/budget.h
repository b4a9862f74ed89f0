#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/memory.h"

/// Limits on the size of answers. A file stores each frame and each text once but may refer to it any number of times, and
/// an answer repeats it for every reference. docs/security.md explains the figures.
namespace snapviewer {

namespace limits {

/// Maximum number of frames in a path of a tree and in a stack that is written as text. Python itself allows 1,000 nested
/// calls.
inline constexpr std::size_t k_max_path_frames = 1024;
/// Maximum size of a stack that is written as text. The text ends after a whole frame, and contains at least one frame.
inline constexpr std::size_t k_max_stack_bytes = 256 << 10;
/// Maximum size of a frame that is written as text.
inline constexpr std::size_t k_max_frame_bytes = 4 << 10;
/// Maximum size of the single source line that represents a stack.
inline constexpr std::size_t k_max_source_bytes = 2 << 10;
/// Maximum size of a value in a panel, for example of the program's note about an allocation.
inline constexpr std::size_t k_max_fact_bytes = 16 << 10;
/// Maximum size of a paragraph in a tooltip.
inline constexpr std::size_t k_max_tooltip_bytes = 4 << 10;
/// Maximum size of the part of a list that is copied to the clipboard. The copy ends after a whole row.
inline constexpr std::size_t k_max_clipboard_bytes = 32 << 20;

/// Maximum memory for the nodes of a tree, or for the rows of a query that are in memory at once. `read_bytes` is the size
/// of the file plus everything unpacked from it.
constexpr std::uint64_t max_held_bytes(std::uint64_t read_bytes) { return (64 << 20) + 8 * read_bytes; }

}  // namespace limits

/// Text that replaces omitted rows or other items: "… 1,234 more rows". `noun` is the singular.
std::string more_items(std::size_t count, std::string_view noun);
/// Text that replaces omitted frames: "… 12 more frames".
std::string more_frames(std::size_t count);

/// Counts and limits the memory that the threads of one job allocate. `operator new` and the allocators that libraries
/// accept charge the account, so that no code can bypass it. Freed memory is credited to the account of the thread that
/// frees it. Thread-safe.
class MemoryAccount {
public:
    /// Number of bytes that a thread may allocate or free before it updates its account.
    static constexpr std::int64_t k_unreported_bytes = 64 << 10;

    /// Also charges `group` from now on, which is the account of several jobs that run at the same time. Call it before the
    /// first charge. `group` must outlive this account, whose destructor credits `group` with everything that is still
    /// charged.
    void join(MemoryAccount& group) { group_ = &group; }
    ~MemoryAccount() {
        if (group_ != nullptr) group_->charge(-held_bytes_.load(std::memory_order_relaxed));
    }
    MemoryAccount() = default;
    MemoryAccount(const MemoryAccount&) = delete;
    MemoryAccount& operator=(const MemoryAccount&) = delete;

    void set_limit(std::uint64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }
    std::uint64_t limit_bytes() const { return limit_bytes_.load(std::memory_order_relaxed); }
    std::uint64_t held_bytes() const { return static_cast<std::uint64_t>(held_bytes_.load(std::memory_order_relaxed)); }
    /// True once an allocation exceeded the limit of this account itself. From then on the limit is 1 MiB higher, so that
    /// the error can be created and reported to the user.
    bool is_exceeded() const { return is_exceeded_.load(std::memory_order_relaxed); }

    /// Adds `bytes`, which are negative for freed memory; the total never falls below zero. Returns false without adding
    /// them if the total would exceed the limit of this account or of its group.
    bool charge(std::int64_t bytes) noexcept;

private:
    std::atomic<std::int64_t> held_bytes_{0};
    std::atomic<std::uint64_t> limit_bytes_{std::numeric_limits<std::int64_t>::max()};
    std::atomic<bool> is_exceeded_{false};
    MemoryAccount* group_ = nullptr;
};

/// Sets the account of the calling thread (null for none) and returns the previous one. Called by ContextScope.
MemoryAccount* exchange_memory_account(MemoryAccount* account) noexcept;

/// malloc(), realloc() and free() that charge the account of the calling thread. For libraries that accept an allocator.
/// Return null if the system or the account refuses the memory.
void* charged_malloc(std::size_t bytes) noexcept;
void* charged_realloc(void* block, std::size_t bytes) noexcept;
void charged_free(void* block) noexcept;

/// malloc() and free() that charge `account` (null for none) instead of the account of the thread.
void* malloc_from(MemoryAccount* account, std::size_t bytes) noexcept;
void free_to(MemoryAccount* account, void* block) noexcept;

// Limits on the cost of one job, such as loading a file or computing an answer about it: unpacked bytes, memory and
// processor time. The bytes of the file itself are always read, for any size. The limits bound what the contents of a file
// can demand beyond that: a value that is referenced over and over, a list that thousands of objects share, a zip whose
// members are all the same bytes, a recursive view that never ends. Each limit is a fixed part, which no small file exceeds,
// plus a multiple of the bytes read. docs/security.md explains the figures.

namespace limits {

/// Maximum bytes that one load may unpack from all containers together. Gzipped pickles unpack to 4 to 35 times their size,
/// gzipped JSON to up to 83 times; the limit is more than twice that.
inline constexpr std::uint64_t k_base_unpacked_bytes = 64 << 20;
inline constexpr std::uint64_t k_unpacked_ratio = 200;
/// Factor that replaces k_unpacked_ratio once bzip2 or xz is found: bzip2 shrinks a snapshot in JSON to 1/354 of its size,
/// xz to 1/854.
inline constexpr std::uint64_t k_dense_unpacked_ratio = 2048;

/// Maximum memory of a job. The multiple applies to the size of the file or of its unpacked data, whichever is larger. A
/// real file needs 0.7 bytes for each byte.
inline constexpr std::uint64_t k_base_memory_bytes = 192 << 20;
inline constexpr std::uint64_t k_memory_per_input_byte = 12;

/// Maximum memory for the windows and dictionaries of all xz, LZMA and Zstandard decoders of one file together: the largest
/// window that an encoder creates, plus what its decoder needs besides.
inline constexpr std::uint64_t k_window_bytes = (512 << 20) + (16 << 20);

/// Maximum processor time of all threads of a job together. Reading and analysing a real file takes up to 5 ns for each
/// byte; the limit is twenty times that. A command is guaranteed to end within 2 s; the 0.5 s that this limit leaves cover
/// its start, the time until every thread has checked, and freeing what was read.
inline constexpr std::uint64_t k_base_time_ns = 1'500'000'000;
inline constexpr std::uint64_t k_time_ns_per_input_byte = 100;

/// Maximum text that an answer writes, for example into an exported file. Exported allocations with their stacks take up to
/// 24 times the size of the snapshot, and with C++ stacks perhaps three times as much.
inline constexpr std::uint64_t k_base_written_bytes = 64 << 20;
inline constexpr std::uint64_t k_written_per_input_byte = 128;

/// Part of the available memory that a load may take, in percent. A system that runs out of memory kills some process, which
/// is not always the one that asked for too much.
inline constexpr std::uint64_t k_memory_percent = 90;

}  // namespace limits

/// Counts the cost of one job. Errors have the code `unsupported`, or `memory` if the machine lacks memory, so that no
/// reader mistakes them for a damaged part of a file that it can skip. Thread-safe.
class Budget {
public:
    using Ask = std::uint64_t (*)();
    explicit Budget(Ask available = available_memory_bytes, Ask held = held_memory_bytes)
        : available_(available), held_(held) {
        windows_.set_limit(limits::k_window_bytes);
    }
    ~Budget();
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    /// Makes this job one of several that run at the same time and together take no more memory than `group` allows: the
    /// fixed part once, and the multiple of the bytes of all of them. Memory that the group refuses has the error `memory`,
    /// and the job may succeed alone. Call it before add_file(); `group` must outlive this budget.
    void join(Budget& group);

    /// Adds the size of a file that is about to be read. Call it for the first file of a load before any other function.
    void add_file(std::uint64_t file_bytes);
    /// Calls add_file() with the size of the file at `path`, or with 0 if the size cannot be determined.
    void add_file_at(const std::string& path);
    /// Raises the limit of unpack() for the rest of the load, because xz and bzip2 compress more densely.
    void expect_dense_packing() { unpacked_ratio_ = limits::k_dense_unpacked_ratio; }

    /// Adds bytes that were unpacked from a container. Returns an error if their total is too large for the size of the
    /// file.
    Status unpack(std::uint64_t bytes);
    /// Adds bytes of text that an answer writes. Returns an error if their total is too large for the bytes read; its
    /// message ends with `advice`, which says what the user can do.
    Status write(std::uint64_t bytes, std::string_view advice);
    std::uint64_t max_written_bytes() const;
    /// Adds processor time of one thread. Time that a thread spends waiting is not counted.
    void spend(std::uint64_t time_ns) { time_ns_.fetch_add(time_ns, std::memory_order_relaxed); }
    /// True if the job has used more processor time than its limit for the bytes read and written.
    bool is_late() const;
    /// The error for a job that is_late().
    Error late_error() const;
    /// Returns an error if `bytes`, the estimated memory of the whole load, exceed the memory that was available when the
    /// load began.
    Status check_estimate(std::uint64_t bytes) const;
    /// Returns an error if the load has taken nearly all available memory. Call it for every piece of a file: it queries the
    /// system only once in 16 calls.
    Status check_memory();

    /// Size of the files plus all bytes unpacked from them.
    std::uint64_t read_bytes() const { return file_bytes_ + unpacked_bytes_; }

    /// The highest limit that the account of a load of one file of this size can get.
    static std::uint64_t max_memory_bytes(std::uint64_t file_bytes);

    /// The memory account of the threads that do the work. Its limit grows with read_bytes().
    MemoryAccount& account() { return account_; }
    /// The memory account for the windows and dictionaries of all decoders, including those of nested containers.
    MemoryAccount& windows() { return windows_; }

private:
    void limit_memory();

    Budget* group_ = nullptr;
    std::atomic<std::uint64_t> known_to_group_bytes_ = 0;  ///< part of the group's member_bytes_ that this job has added
    std::atomic<std::uint64_t> member_bytes_ = 0;          ///< bytes of all jobs of this group that have not ended
    Ask available_;
    Ask held_;
    std::atomic<std::uint64_t> max_held_bytes_ = ~0ULL;
    std::atomic<std::uint64_t> available_bytes_ = ~0ULL;
    std::atomic<std::uint64_t> file_bytes_ = 0;
    std::atomic<std::uint64_t> unpacked_ratio_ = limits::k_unpacked_ratio;
    std::atomic<std::uint64_t> unpacked_bytes_ = 0;
    MemoryAccount account_;
    MemoryAccount windows_;
    std::atomic<std::uint64_t> written_bytes_ = 0;
    std::atomic<std::uint64_t> time_ns_ = 0;
    std::atomic<std::uint32_t> memory_checks_ = 0;
};

/// Asks the kernel to limit the memory of a command that reads these files, too. The limit is the highest one that the
/// accounts of the files can get, plus 2 GiB for memory that is not counted. This is a second line of defence, for libraries
/// that take memory without an account. Does nothing under Valgrind, with sanitizers, or if the size of a file is unknown,
/// as for a folder or a pipe.
void limit_memory_by_kernel(std::span<const std::string> paths);

}  // namespace snapviewer
