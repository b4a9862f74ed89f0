#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/memory_account.h"
#include "core/base/result.h"
#include "core/system/memory.h"

/// What one job may cost, as loading a file or working out an answer about it: bytes that are unpacked, memory, and
/// processor time. The bytes of the file itself are always read, however many they are. The limits are for what a file can
/// ask for beyond them: a value that is mentioned over and over, a list that thousands share, a zip whose members are all
/// one, a view without an end. Each limit is a fixed part, which no small file exceeds, and a multiple of the bytes read.
/// docs/security.md has the figures.
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

/// Processor time of all threads of a job together. Reading and analysing a real file takes up to 5 ns a byte; twenty times
/// that is the limit. A command promises 2 s; the rest is for its start, and until all threads have looked.
inline constexpr std::uint64_t k_free_time_ns = 1'800'000'000;
inline constexpr std::uint64_t k_time_ns_a_byte = 100;

/// Text of an answer on its way out, as into an exported file. Exported allocations with their stacks take up to 24 times
/// the snapshot, and with stacks of C++ may take three times as much.
inline constexpr std::uint64_t k_free_written_bytes = 64 << 20;
inline constexpr std::uint64_t k_written_bytes_a_byte = 128;

/// Of the memory there is when a load begins, it takes no larger part: a system that runs out ends some process, and not
/// always the one that asked for too much.
inline constexpr std::uint64_t k_memory_percent = 90;

}  // namespace limits

/// Counts what one job costs. Errors have the code `unsupported`, or `memory` if the machine lacks it, so that no reader
/// takes them for a damaged part that can be left out. Thread-safe.
class Budget {
public:
    using Ask = std::uint64_t (*)();
    explicit Budget(Ask available = available_memory_bytes, Ask held = held_memory_bytes)
        : available_(available), held_(held) {
        windows_.set_limit(limits::k_window_bytes);
    }

    /// A file of this size is about to be read. Must be called for the first file of a load before any other function.
    void add_file(std::uint64_t file_bytes);
    /// Calls add_file() with the size of the file at `path`, or with 0 if the size cannot be determined.
    void add_file_at(const std::string& path);
    /// From here on containers may be as dense as xz makes them.
    void expect_dense_packing() { unpacked_ratio_ = limits::k_dense_unpacked_ratio; }

    /// Adds bytes that were unpacked from a container. Fails if they are too many for the size of the file.
    Status unpack(std::uint64_t bytes);
    /// Adds bytes of text that an answer writes. Fails if they are too many for the bytes read; `advice` then says what to
    /// do.
    Status write(std::uint64_t bytes, std::string_view advice);
    std::uint64_t most_written_bytes() const;
    /// Adds processor time of one thread. Waiting costs nothing.
    void spend(std::uint64_t time_ns) { time_ns_.fetch_add(time_ns, std::memory_order_relaxed); }
    /// Whether more processor time was spent than the bytes read and written account for.
    bool is_late() const;
    /// The error for work that is_late().
    Error late_error() const;
    /// Whether so much memory, which the whole load is likely to take, could be had when it began.
    Status foresee(std::uint64_t bytes) const;
    /// Whether the load has taken nearly all the memory there is. To be asked with every piece of a file; looks at the
    /// system now and then.
    Status check_memory();

    /// The bytes of the files themselves and those unpacked from them.
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
    std::atomic<std::uint64_t> written_bytes_ = 0;
    std::atomic<std::uint64_t> time_ns_ = 0;
    std::atomic<std::uint32_t> memory_checks_ = 0;
};

}  // namespace snapviewer
