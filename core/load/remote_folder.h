#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/remote_answer.h"
#include "core/load/remote_fetch.h"
#include "core/load/remote_wire.h"

namespace snapviewer {

/// A connection to a folder on another machine, over which it is listed again and again, and files of it come one at a time.
/// Any threads, also in the sandbox; whoever comes while it is in use waits.
class RemoteFolder : public std::enable_shared_from_this<RemoteFolder> {
public:
    /// `fetch` runs the script of folders (remote_script.h) and reads on.
    explicit RemoteFolder(RemoteFetch fetch);

    /// Its files, also those of folders below, without hidden ones. Where the connection is no longer there, what was listed
    /// last, so that nothing seems to be gone; fails where nothing was.
    Result<std::vector<RemoteEntry>> list(Progress& progress);
    /// Whether that machine has a snapviewer of its own, which can summarise files there. Only after list().
    bool has_snapviewer() const { return has_snapviewer_; }
    /// What load_file() and load_database() read when they are asked for `path` next: a file of that name, or the database
    /// that a fleet of files of these names was written to there.
    void offer_file(const std::string& path, const std::string& name);
    void offer_summary(const std::string& path, std::vector<std::string> names);

    bool is_connected() const { return !is_broken_; }
    /// What came over the connection so far, packed as it was.
    std::uint64_t wire_bytes() const { return wire_bytes_; }
    /// What became of it once it was unpacked.
    std::uint64_t unpacked_bytes() const { return unpacked_bytes_; }
    void add_unpacked(std::uint64_t bytes) { unpacked_bytes_ += bytes; }
    /// Ends the connection; whoever waits for it fails. Not in the sandbox.
    void end();

private:
    friend class FolderWire;

    /// The right to use the connection, for as long as it lives.
    class Turn {
    public:
        explicit Turn(RemoteFolder& folder);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

        void give_up() { is_given_up_ = true; }  ///< any thread
        void check_stop() const;

    private:
        RemoteFolder& folder_;
        std::atomic<bool> is_given_up_ = false;
    };

    std::vector<RemoteEntry> list_now();
    void ask(const Turn& turn, const std::string& words);
    std::string next_line(const Turn& turn, bool skips_content);
    void read_more(const Turn& turn);
    [[noreturn]] void fail_broken(const char* why);

    RemoteFetch fetch_;
    std::mutex mutex_;  ///< of is_in_use_
    std::condition_variable free_;
    bool is_in_use_ = false;
    std::atomic<bool> is_broken_ = false;
    std::atomic<bool> has_snapviewer_ = false;
    std::atomic<std::uint64_t> wire_bytes_ = 0;
    std::atomic<std::uint64_t> unpacked_bytes_ = 0;

    // Of whoever has the turn.
    ProgramWire wire_;
    MarkedText text_;
    bool is_greeted_ = false;
    bool is_in_file_ = false;  ///< of which nobody took the rest
    bool was_listed_ = false;
    std::vector<RemoteEntry> listed_;
};

/// The next file of a folder. What nobody took of it is read by who comes next.
class FolderWire : public RemoteWire {
public:
    /// Asks for what `fetch` says and waits until it begins. Throws Failure, also with what that machine says of it.
    explicit FolderWire(const RemoteFetch& fetch);

    const SentFile& sent() const { return sent_; }
    std::string_view next_piece() override;
    void give_up() override { turn_.give_up(); }
    const std::string& error() const override { return error_; }
    bool is_at_end() const override { return is_at_end_; }

private:
    std::shared_ptr<RemoteFolder> folder_;
    RemoteFolder::Turn turn_;
    SentFile sent_;
    std::string error_;
    bool is_at_end_ = false;
};

}  // namespace snapviewer
