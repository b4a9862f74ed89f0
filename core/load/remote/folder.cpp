#include "core/load/remote/folder.h"

#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/load/bytes/sources.h"

namespace snapviewer::remote {
namespace {

constexpr std::size_t k_max_listing_bytes = 32 << 20;

}  // namespace

RemoteFolder::RemoteFolder(RemoteFetch fetch) : fetch_(std::move(fetch)), wire_(fetch_), text_(fetch_.greeting) {}

RemoteFolder::ConnectionLock::ConnectionLock(RemoteFolder& folder) : folder_(folder) {
    std::unique_lock lock(folder_.mutex_);
    while (folder_.is_in_use_) {
        check_stop();
        folder_.free_.wait_for(lock, k_stop_poll_interval);
    }
    folder_.is_in_use_ = true;
}

RemoteFolder::ConnectionLock::~ConnectionLock() {
    const std::lock_guard lock(folder_.mutex_);
    folder_.is_in_use_ = false;
    folder_.free_.notify_one();
}

void RemoteFolder::ConnectionLock::check_stop() const {
    if (is_cancelled_) throw Failure{stopped()};
    snapviewer::check_stop();
}

void RemoteFolder::end() {
    is_broken_ = true;
    fetch_.program->end();
}

void RemoteFolder::fail_broken(const char* why_else) {
    is_broken_ = true;
    const std::string why = wire_.error().empty() ? why_else : wire_.error();
    throw Failure{{ErrorCode::io, "cannot be fetched: " + why}};
}

void RemoteFolder::read_more(const ConnectionLock& turn) {
    std::optional<std::string_view> piece;
    try {
        while (!is_broken_ && !piece) {
            turn.check_stop();
            piece = wire_.poll_piece();
        }
    } catch (Failure& failure) {
        if (!failure.is_cut) throw;
    }
    if (!piece || piece->empty()) fail_broken("the connection ended");
    wire_bytes_ += piece->size();
    text_.add(*piece);
}

/// Waits for the next message of the remote machine and returns it. Skips content before it, which is output of login
/// scripts or, if `skips_content`, the rest of a file, which may be long.
std::string RemoteFolder::next_line(const ConnectionLock& turn, bool skips_content) {
    std::size_t skipped_bytes = 0;
    while (true) {
        skipped_bytes += text_.take_content().size();
        if (auto line = text_.take_line()) return *std::move(line);
        const bool is_too_long = text_.rest().size() > k_max_bytes_before_file;
        if (is_too_long || (!skips_content && skipped_bytes > k_max_bytes_before_file))
            fail_broken("that machine answers something else than was asked for");
        read_more(turn);
    }
}

void RemoteFolder::ask(const ConnectionLock& turn, const std::string& words) {
    if (std::exchange(is_in_file_, false)) next_line(turn, true);
    if (!std::exchange(is_greeted_, true)) has_snapviewer_ = next_line(turn, false) == "ready snapviewer";
    // if the program has ended, the next call throws and states the reason
    if (!is_broken_ && !fetch_.program->write(words)) read_more(turn);
}

std::vector<RemoteEntry> RemoteFolder::list_now() {
    const ConnectionLock turn(*this);
    ask(turn, "list\n");
    next_line(turn, false);
    std::string listing;
    while (true) {
        listing += text_.take_content();
        if (listing.size() > k_max_listing_bytes) bytes::fail("holds more files than any real folder of snapshots");
        if (text_.take_line()) break;
        read_more(turn);
    }
    was_listed_ = true;
    return listed_ = parse_listing(listing);
}

Result<std::vector<RemoteEntry>> RemoteFolder::list(Progress& progress) {
    Result<std::vector<RemoteEntry>> now = caught(&progress, [&] { return list_now(); });
    if (now || now.error().code == ErrorCode::cancelled) return now;
    is_broken_ = true;
    return caught(&progress, [&] {
        const ConnectionLock turn(*this);
        if (!was_listed_) throw Failure{now.error()};
        return listed_;
    });
}

void RemoteFolder::queue_file(const std::string& path, const std::string& name) { offer(path, {name}, "send\n"); }

void RemoteFolder::queue_summary(const std::string& path, const std::vector<std::string>& names) {
    offer(path, names, "summarise\n");
}

void RemoteFolder::offer(const std::string& path, const std::vector<std::string>& names, const char* command) {
    RemoteFetch fetch = fetch_;
    fetch.folder = shared_from_this();
    for (const std::string& name : names) fetch.request += "./" + name + "\n";
    fetch.request += command;
    queue_fetch(path, std::move(fetch));
}

FolderWire::FolderWire(const RemoteFetch& fetch) : folder_(fetch.folder), lock_(*folder_) {
    folder_->ask(lock_, fetch.request);
    const std::string line = folder_->next_line(lock_, false);
    constexpr std::string_view k_error = "error ";
    if (line.starts_with(k_error)) {
        const std::string why = one_line(trimmed(std::string_view(line).substr(k_error.size())));
        throw Failure{{ErrorCode::io, "cannot be fetched: " + shortened(why, 400)}};
    }
    folder_->is_in_file_ = true;
    sent_ = parse_sent_file(line);
}

std::string_view FolderWire::next_piece() {
    while (!is_at_end_) {
        lock_.check_stop();
        if (const std::string_view content = folder_->text_.take_content(); !content.empty()) return content;
        if (const auto line = folder_->text_.take_line()) {
            is_at_end_ = true;
            folder_->is_in_file_ = false;
            if (*line == "end 0") break;
            error_ = "that machine could not read it to its end";
            bytes::fail_cut(error_, std::nullopt);
        }
        try {
            folder_->read_more(lock_);
        } catch (Failure& failure) {
            if (failure.error.code == ErrorCode::cancelled) throw;
            is_at_end_ = true;
            error_ = failure.error.message;
            bytes::fail_cut(error_, std::nullopt);
        }
    }
    return {};
}

}  // namespace snapviewer::remote
