#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/memory_account.h"
#include "core/base/result.h"
#include "core/system/memory.h"

/// What one load may cost: bytes that are unpacked, memory, and work. A file's own bytes are always read, however many there
/// are. The bounds are for what a file can ask for beyond them: a value that is mentioned over and over, a list that
/// thousands share, a zip whose members are all one, a view without an end. Each bound is a fixed part, which no small file
/// exceeds, and a multiple of the bytes read. docs/security.md has the figures.
namespace snapviewer {

namespace limits {

/// Bytes that come out of containers, all of a load together. Gzipped snapshots hold 4 to 35 times their size, as JSON up to
/// 83 times; more than twice that is still let through.
inline constexpr std::uint64_t k_free_unpacked_bytes = 64 << 20;
inline constexpr std::uint64_t k_unpacked_ratio = 200;
/// The same once a denser packer was met: of snapshots as JSON, bzip2 makes the 354th and xz the 854th part.
inline constexpr std::uint64_t k_dense_unpacked_ratio = 2048;

/// Memory that a job may take, of which the larger of the file and what was unpacked counts. A real file needs 0.7 bytes a
/// byte.
inline constexpr std::uint64_t k_free_memory_bytes = 192 << 20;
inline constexpr std::uint64_t k_memory_bytes_a_byte = 12;

/// Windows and dictionaries of all unpackers of xz, LZMA and Zstandard of a file together: one of the largest that a writer
/// makes, and what its unpacker needs beside it.
inline constexpr std::uint64_t k_window_bytes = (512 << 20) + (16 << 20);

/// Steps of about a nanosecond, as to copy a byte of text or to look at a row again. Reading takes about two a byte and
/// twenty times as much is what a file may cost.
inline constexpr std::uint64_t k_free_work = 1 << 29;
inline constexpr std::uint64_t k_work_a_byte = 32;

/// Of the memory there is when a load begins, it takes no larger part: a system that runs out ends some process, and not
/// always the one that asked for too much.
inline constexpr std::uint64_t k_memory_percent = 90;

}  // namespace limits

/// Counts what one load costs. Errors have the code `unsupported`, or `memory` if the machine lacks it, so that no reader
/// takes them for a damaged part that can be left out. Thread-safe.
class LoadBudget {
public:
    using Ask = std::uint64_t (*)();
    explicit LoadBudget(Ask available = available_memory_bytes, Ask held = held_memory_bytes)
        : available_(available), held_(held) {
        windows_.set_limit(limits::k_window_bytes);
    }

    /// A file of this size is about to be read. Must be called for the first file of a load before any other function.
    void add_file(std::uint64_t file_bytes);
    /// From here on containers may be as dense as xz makes them.
    void expect_dense_packing() { unpacked_ratio_ = limits::k_dense_unpacked_ratio; }

    /// So many bytes come out of a container.
    Status unpack(std::uint64_t bytes);
    /// So many steps are to be made.
    Status work(std::uint64_t steps);
    /// Whether so much memory, which the whole load is likely to take, could be had when it began.
    Status foresee(std::uint64_t bytes) const;
    /// Whether the load has taken nearly all the memory there is. To be asked with every piece of a file; looks at the
    /// system now and then.
    Status check_memory();

    /// On the disk and unpacked.
    std::uint64_t read_bytes() const { return file_bytes_ + unpacked_bytes_; }

    /// The account of the threads that do the work. Its limit grows with read_bytes().
    MemoryAccount& account() { return account_; }
    /// The account of all unpackers' windows and dictionaries, nested ones included.
    MemoryAccount& windows() { return windows_; }

private:
    void limit_memory();

    Ask available_;
    Ask held_;
    std::atomic<std::uint64_t> most_held_bytes_ = ~0ULL;
    std::atomic<std::uint64_t> available_bytes_ = ~0ULL;
    std::atomic<std::uint64_t> file_bytes_ = 0;
    std::atomic<std::uint64_t> unpacked_ratio_ = limits::k_unpacked_ratio;
    std::atomic<std::uint64_t> unpacked_bytes_ = 0;
    MemoryAccount account_;
    MemoryAccount windows_;
    std::atomic<std::uint64_t> work_ = 0;
    std::atomic<std::uint32_t> memory_checks_ = 0;
};

}  // namespace snapviewer
