#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/memory_account.h"
#include "core/base/result.h"
#include "core/system/memory.h"

/// Limits on the cost of one job, such as loading a file or computing an answer about it: unpacked bytes, memory and
/// processor time. The bytes of the file itself are always read, whatever its size. The limits bound what the contents of a
/// file can demand beyond that: a value that is referenced over and over, a list that thousands of objects share, a zip
/// whose members are all the same bytes, a recursive view that never ends. Each limit is a fixed part, which no small file
/// exceeds, plus a multiple of the bytes read. docs/security.md explains the figures.
namespace snapviewer {

namespace limits {

/// Maximum bytes that one load may unpack from all containers together. Gzipped pickles unpack to 4 to 35 times their size,
/// gzipped JSON to up to 83 times; the limit is more than twice that.
inline constexpr std::uint64_t k_free_unpacked_bytes = 64 << 20;
inline constexpr std::uint64_t k_unpacked_ratio = 200;
/// Factor that replaces k_unpacked_ratio once bzip2 or xz is found: bzip2 shrinks a snapshot in JSON to 1/354 of its size,
/// xz to 1/854.
inline constexpr std::uint64_t k_dense_unpacked_ratio = 2048;

/// Maximum memory of a job. The multiple applies to the size of the file or of its unpacked data, whichever is larger. A
/// real file needs 0.7 bytes for each byte.
inline constexpr std::uint64_t k_free_memory_bytes = 192 << 20;
inline constexpr std::uint64_t k_memory_bytes_a_byte = 12;

/// Maximum memory for the windows and dictionaries of all xz, LZMA and Zstandard decoders of one file together: the largest
/// window that an encoder creates, plus what its decoder needs besides.
inline constexpr std::uint64_t k_window_bytes = (512 << 20) + (16 << 20);

/// Maximum processor time of all threads of a job together. Reading and analysing a real file takes up to 5 ns for each
/// byte; the limit is twenty times that. A command is guaranteed to end within 2 s; the 0.2 s that this limit leaves cover
/// its start and the time until every thread has checked.
inline constexpr std::uint64_t k_free_time_ns = 1'800'000'000;
inline constexpr std::uint64_t k_time_ns_a_byte = 100;

/// Maximum text that an answer writes, for example into an exported file. Exported allocations with their stacks take up to
/// 24 times the size of the snapshot, and with C++ stacks perhaps three times as much.
inline constexpr std::uint64_t k_free_written_bytes = 64 << 20;
inline constexpr std::uint64_t k_written_bytes_a_byte = 128;

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
    /// message ends with `advice`, which tells the user what to do.
    Status write(std::uint64_t bytes, std::string_view advice);
    std::uint64_t most_written_bytes() const;
    /// Adds processor time of one thread. Time that a thread spends waiting is not counted.
    void spend(std::uint64_t time_ns) { time_ns_.fetch_add(time_ns, std::memory_order_relaxed); }
    /// True if the job has used more processor time than its limit for the bytes read and written.
    bool is_late() const;
    /// The error for a job that is_late().
    Error late_error() const;
    /// Returns an error if `bytes`, the estimated memory of the whole load, exceed the memory that was available when the
    /// load began.
    Status foresee(std::uint64_t bytes) const;
    /// Returns an error if the load has taken nearly all available memory. Call it for every piece of a file: it queries the
    /// system only once in 16 calls.
    Status check_memory();

    /// Size of the files plus all bytes unpacked from them.
    std::uint64_t read_bytes() const { return file_bytes_ + unpacked_bytes_; }

    /// The highest limit that the account of a load of one file of this size can get.
    static std::uint64_t most_memory_bytes(std::uint64_t file_bytes);

    /// The memory account of the threads that do the work. Its limit grows with read_bytes().
    MemoryAccount& account() { return account_; }
    /// The memory account for the windows and dictionaries of all decoders, including those of nested containers.
    MemoryAccount& windows() { return windows_; }

private:
    void limit_memory();

    Budget* group_ = nullptr;
    std::atomic<std::uint64_t> known_to_group_bytes_ = 0;  ///< this job's part of the group's member_bytes_
    std::atomic<std::uint64_t> member_bytes_ = 0;          ///< bytes of all jobs of this group that have not ended
    Ask available_;
    Ask held_;
    std::atomic<std::uint64_t> most_held_bytes_ = ~0ULL;
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

/// Has the kernel, too, limit the memory of a command that reads these files: to the highest limit that their accounts can
/// get, and 2 GiB for what is not counted. A second wall, which holds if a library takes memory without an account. Does
/// nothing if the size of one of them is unknown, as for a folder or a pipe, nor under Valgrind and with sanitizers.
void limit_memory_by_kernel(std::span<const std::string> paths);

}  // namespace snapviewer
