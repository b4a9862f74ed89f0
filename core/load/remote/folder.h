#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/load/remote/fetch.h"
#include "core/load/remote/source.h"

namespace snapviewer::remote {

/// A connection to a folder on another machine. It lists the folder repeatedly and transfers files of it one at a time.
/// Thread-safe, also in the sandbox: concurrent callers wait for each other.
class RemoteFolder : public std::enable_shared_from_this<RemoteFolder> {
public:
    /// `fetch` must run the script for folders (fetch.cpp), which reads requests from its standard input.
    explicit RemoteFolder(RemoteFetch fetch);

    /// Lists the files of the folder and its subfolders, without hidden files. If the connection is lost, returns the
    /// previous list, so that no file seems to have been deleted; fails if there is none.
    Result<std::vector<RemoteEntry>> list(Progress& progress);
    /// True if snapviewer is installed on the remote machine, so that it can summarise files. Valid only after list().
    bool has_snapviewer() const { return has_snapviewer_; }
    /// Queues a transfer, which the next load_file() or load_database() of `path` reads. queue_file() transfers the file
    /// `name`. queue_summary() has the remote machine write a database that summarises the files `names` as a fleet, and
    /// transfers the database.
    void queue_file(const std::string& path, const std::string& name);
    void queue_summary(const std::string& path, const std::vector<std::string>& names);

    bool is_connected() const { return !is_broken_; }
    /// Returns the number of bytes received over the connection so far, in packed form.
    std::uint64_t wire_bytes() const { return wire_bytes_; }
    /// Returns the number of bytes received so far after unpacking.
    std::uint64_t unpacked_bytes() const { return unpacked_bytes_; }
    void add_unpacked(std::uint64_t bytes) { unpacked_bytes_ += bytes; }
    /// Ends the connection, so that all calls that wait for it fail. Must not be called in the sandbox.
    void end();

private:
    friend class FolderWire;

    /// RAII lock: gives exclusive use of the connection during its lifetime.
    class ConnectionLock {
    public:
        explicit ConnectionLock(RemoteFolder& folder);
        ~ConnectionLock();
        ConnectionLock(const ConnectionLock&) = delete;
        ConnectionLock& operator=(const ConnectionLock&) = delete;

        void cancel() { is_cancelled_ = true; }  ///< Makes check_stop() throw; thread-safe
        void check_stop() const;

    private:
        RemoteFolder& folder_;
        std::atomic<bool> is_cancelled_ = false;
    };

    std::vector<RemoteEntry> list_now();
    void offer(const std::string& path, const std::vector<std::string>& names, const char* command);
    void ask(const ConnectionLock& turn, const std::string& words);
    std::string next_line(const ConnectionLock& turn, bool skips_content);
    void read_more(const ConnectionLock& turn);
    [[noreturn]] void fail_broken(const char* why);

    RemoteFetch fetch_;
    std::mutex mutex_;  ///< Guards is_in_use_
    std::condition_variable free_;
    bool is_in_use_ = false;
    std::atomic<bool> is_broken_ = false;
    std::atomic<bool> has_snapviewer_ = false;
    std::atomic<std::uint64_t> wire_bytes_ = 0;
    std::atomic<std::uint64_t> unpacked_bytes_ = 0;

    // The following members may be used only by the holder of a ConnectionLock.
    ProgramWire wire_;
    MarkedText text_;
    bool is_greeted_ = false;
    bool is_in_file_ = false;  ///< True if a file is being received and not all of it was read
    bool was_listed_ = false;
    std::vector<RemoteEntry> listed_;
};

/// The transfer of one file over the connection of a folder. Unread bytes of it are skipped by the next user of the
/// connection.
class FolderWire : public RemoteWire {
public:
    /// Sends the request in `fetch` and blocks until the file begins. Throws Failure, with the message of the remote machine
    /// if it refuses.
    explicit FolderWire(const RemoteFetch& fetch);

    const SentFile& sent() const { return sent_; }
    std::string_view next_piece() override;
    void cancel() override { lock_.cancel(); }

private:
    std::shared_ptr<RemoteFolder> folder_;
    RemoteFolder::ConnectionLock lock_;
    SentFile sent_;
};

}  // namespace snapviewer::remote
