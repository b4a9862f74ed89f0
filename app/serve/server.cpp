#include "app/serve/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/progress.h"
#include "core/system/ending.h"

namespace snapviewer {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int k_most_connections = 256;
constexpr int k_most_requests = 1000;  // of one connection
constexpr std::size_t k_most_head_bytes = 32 << 10;
constexpr Clock::duration k_longest_head = 10s;        // from its first byte to its last
constexpr Clock::duration k_longest_pause = 15s;       // between two requests
constexpr Clock::duration k_longest_standstill = 30s;  // of what is sent

/// What all connections share.
struct Serving {
    std::atomic<bool> has_ended{false};
    std::atomic<int> connections{0};
    std::atomic<int> questions{0};  ///< that are being answered
    std::atomic<Clock::rep> last_use{Clock::now().time_since_epoch().count()};

    void note_use() { last_use = Clock::now().time_since_epoch().count(); }
    Clock::duration unused() const { return Clock::now().time_since_epoch() - Clock::duration(last_use.load()); }
};

/// One reader. Bounds what he may send before he is answered, and how slowly anything may go.
class Reader final : public HttpPeer {
public:
    Reader(Socket socket, const Site& site, HttpLibrary http, Serving& serving)
        : socket_(std::move(socket)), site_(site), http_(http), serving_(serving) {}

    void run() {
        for (int i = 0; i < k_most_requests && !serving_.has_ended; ++i) {
            head_bytes_ = 0;
            head_end_ = Clock::now() + (left_.empty() ? longest_pause() : k_longest_head);
            if (http_.exchange(static_cast<HttpPeer*>(this)) == 0) return;
        }
    }

    std::ptrdiff_t receive(std::span<char> room) override {
        if (left_.empty() && !receive_more()) return -1;
        const std::size_t size = std::min(room.size(), left_.size());
        std::ranges::copy(left_.first(size), room.begin());
        left_ = left_.subspan(size);
        head_bytes_ += size;
        return head_bytes_ > k_most_head_bytes ? -1 : static_cast<std::ptrdiff_t>(size);
    }

    std::ptrdiff_t send(std::span<const char> bytes) override {
        const auto end = Clock::now() + k_longest_standstill;
        while (!serving_.has_ended && Clock::now() < end) {
            const std::ptrdiff_t size = snapviewer::send(socket_, bytes, k_look_for_stop);
            if (size < 0 && !has_gone_away(socket_)) continue;
            if (size > 0 && is_allowed_) serving_.note_use();
            return size;
        }
        return -1;
    }

    HttpAnswer answer(const HttpQuestion& question) override {
        ++serving_.questions;
        HttpAnswer answer = safe_answer(question);
        --serving_.questions;
        if (is_allowed_) serving_.note_use();
        return answer;
    }

private:
    /// Where there are many, those who ask nothing make room soon.
    Clock::duration longest_pause() const { return serving_.connections > k_most_connections / 2 ? 1s : k_longest_pause; }

    /// No exception goes through the library, which is another module.
    HttpAnswer safe_answer(const HttpQuestion& question) {
        const auto is_gone = [this] { return serving_.has_ended || (left_.empty() && has_gone_away(socket_)); };
        try {
            Site::Reply reply = site_.answer(question, is_gone);
            is_allowed_ = reply.is_allowed;
            return std::move(reply.answer);
        } catch (const std::exception&) {  // a lack of memory
            return {.status = 503, .type = "text/plain; charset=utf-8", .body = "There is too little memory now\n"};
        }
    }

    /// The library reads byte by byte, which is no way to ask the system.
    bool receive_more() {
        while (!serving_.has_ended && Clock::now() < head_end_) {
            const std::ptrdiff_t size = snapviewer::receive(socket_, room_, k_look_for_stop);
            if (size < 0 && !has_gone_away(socket_)) continue;
            if (size <= 0) return false;
            if (head_bytes_ == 0) head_end_ = Clock::now() + k_longest_head;
            left_ = std::span(room_).first(static_cast<std::size_t>(size));
            return true;
        }
        return false;
    }

    Socket socket_;
    const Site& site_;
    const HttpLibrary http_;
    Serving& serving_;
    std::array<char, 4096> room_{};
    std::span<char> left_;  ///< came and was not read yet
    std::size_t head_bytes_ = 0;
    Clock::time_point head_end_;
    bool is_allowed_ = false;
};

/// On a thread of its own; where there are too many of those, the connection ends.
void start_reader(std::shared_ptr<Reader> reader, const std::shared_ptr<Serving>& serving) {
    ++serving->connections;
    try {
        std::thread([reader = std::move(reader), serving]() mutable {
            take_no_signals();
            reader->run();
            reader.reset();
            --serving->connections;
        }).detach();
    } catch (const std::system_error&) {
        --serving->connections;
    }
}

}  // namespace

bool serve_until_idle(const Site& site, ServeCommands& commands, HttpLibrary http, const Socket& listener,
                      std::chrono::seconds idle) {
    const auto serving = std::make_shared<Serving>();
    bool is_idle = false;
    while (!is_asked_to_end() && !is_idle) {
        Socket socket;
        if (serving->connections < k_most_connections)
            socket = accept_connection(listener, k_look_for_stop);
        else
            rest(k_look_for_stop);
        if (socket.is_open()) start_reader(std::make_shared<Reader>(std::move(socket), site, http, *serving), serving);
        is_idle = idle.count() > 0 && serving->questions == 0 && serving->unused() > idle;
    }
    serving->has_ended = true;
    commands.end_all();
    // Whoever asked us to end does not wait for a file system that hangs; the process is gone in a moment.
    const auto end = Clock::now() + 1s;
    while (serving->connections > 0 && (is_idle || Clock::now() < end)) rest(5ms);
    return is_idle;
}

}  // namespace snapviewer
