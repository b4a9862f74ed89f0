#include "app/serve/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/serve/request_head.h"
#include "core/base/context.h"
#include "core/system/signals.h"

namespace snapviewer {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int k_most_connections = 256;  // connections whose requests are being answered
constexpr std::size_t k_max_arrivals = 384;
constexpr std::size_t k_max_admitted = 128;  // admitted connections that wait for one of those to end
constexpr int k_max_accepted_at_once = 1024;
constexpr int k_most_requests = 1000;             // requests per connection
constexpr Clock::duration k_longest_head = 10s;   // from the start of a connection or a later request to the end of its head
constexpr Clock::duration k_longest_pause = 15s;  // pause between two requests
constexpr Clock::duration k_longest_standstill = 30s;  // time without progress in sending
constexpr Clock::duration k_pause_between_probes = 1s;

/// State shared by all connections.
struct Serving {
    std::atomic<bool> has_ended{false};
    std::atomic<int> connections{0};
    std::atomic<int> questions{0};  ///< Number of requests that are being answered
    std::atomic<Clock::rep> last_use{Clock::now().time_since_epoch().count()};

    void note_use() { last_use = Clock::now().time_since_epoch().count(); }
    Clock::duration unused() const { return Clock::now().time_since_epoch() - Clock::duration(last_use.load()); }
};

/// Collects the bytes of a connection until the head of a request is complete.
class RequestBytes {
public:
    /// Appends the result of receive(): the bytes in `room`, and `size`, its return value, which is 0 at the end of the
    /// stream.
    void add(std::span<const char> room, std::ptrdiff_t size) {
        if (size > 0) bytes_.append(room.data(), static_cast<std::size_t>(size));
        has_end_ = has_end_ || size == 0;
        find_head();
    }
    /// Removes the head. The bytes after it are the beginning of the next request.
    void drop_head() {
        bytes_.erase(0, head_bytes_);
        searched_bytes_ = head_bytes_ = 0;
        find_head();
    }

    std::string_view head() const { return std::string_view(bytes_).substr(0, head_bytes_); }
    std::string_view all() const { return bytes_; }
    bool has_head() const { return head_bytes_ > 0; }
    /// True if no head can follow, because it is too long or the client has sent its last byte.
    bool is_over() const { return !has_head() && (has_end_ || bytes_.size() > k_max_head_bytes); }

private:
    void find_head() {
        if (!has_head()) head_bytes_ = head_length(bytes_, searched_bytes_);
        if (head_bytes_ > k_max_head_bytes) head_bytes_ = 0;
        searched_bytes_ = bytes_.size();
    }

    std::string bytes_;
    std::size_t searched_bytes_ = 0;
    std::size_t head_bytes_ = 0;  ///< 0 until the head is complete
    bool has_end_ = false;
};

/// Sends the refusal of a request that is not admitted, without waiting. No-op if nothing of a request has arrived.
void refuse(const Socket& socket, const Site& site, std::string_view begun) {
    if (begun.empty()) return;
    send(socket, site.refusal(begun), 0ms);
    end_sending(socket);
    // Reads the remaining bytes, because closing a socket with unread bytes can discard the answer before the client
    // receives it.
    std::array<char, 4096> room{};
    for (std::size_t read = 0; read <= k_max_head_bytes && receive(socket, room, 0ms) > 0;) read += room.size();
}

/// A connection whose first request was admitted. Limits how slowly the client may receive and send.
class Reader final : public HttpPeer {
public:
    Reader(Socket socket, RequestBytes bytes, const Site& site, HttpLibrary http, Serving& serving)
        : socket_(std::move(socket)), bytes_(std::move(bytes)), site_(site), http_(http), serving_(serving) {}

    void run() {
        for (int i = 0; i < k_most_requests && !serving_.has_ended; ++i) {
            left_ = bytes_.head();
            if (http_.exchange(static_cast<HttpPeer*>(this)) == 0) return;
            bytes_.drop_head();
            if (!receive_head()) return;
        }
    }

    std::ptrdiff_t receive(std::span<char> room) override {
        if (left_.empty()) return -1;  // the library gets only the head
        const std::size_t size = std::min(room.size(), left_.size());
        std::ranges::copy(left_.substr(0, size), room.begin());
        left_.remove_prefix(size);
        return static_cast<std::ptrdiff_t>(size);
    }

    std::ptrdiff_t send(std::span<const char> bytes) override {
        const auto end = Clock::now() + k_longest_standstill;
        while (!serving_.has_ended && Clock::now() < end) {
            const std::ptrdiff_t size = snapviewer::send(socket_, bytes, k_look_for_stop);
            if (size < 0 && peer_state(socket_) != PeerState::gone) continue;
            if (size > 0) serving_.note_use();
            return size;
        }
        return -1;
    }

    HttpAnswer answer(const HttpQuestion& question) override {
        ++serving_.questions;
        HttpAnswer answer = safe_answer(question);
        --serving_.questions;
        serving_.note_use();
        return answer;
    }

private:
    /// Returns the maximum pause between requests. It is short if there are many connections, so that idle ones end soon.
    Clock::duration longest_pause() const { return serving_.connections > k_most_connections / 2 ? 1s : k_longest_pause; }

    /// Answers a request. Catches all exceptions, because none may pass through the library, which is another module.
    HttpAnswer safe_answer(const HttpQuestion& question) {
        const bool takes_probes = question.version != "HTTP/1.0";
        last_probe_ = Clock::now();
        try {
            return site_.answer(question, [&] { return serving_.has_ended || is_gone(takes_probes); });
        } catch (const std::exception&) {  // out of memory
            return {.status = 503, .type = "text/plain; charset=utf-8", .body = "There is too little memory now\n"};
        }
    }

    /// Returns whether the client is gone. A client that has ended looks like one that has only closed its sending side and
    /// waits for the answer, until something is sent to it. So this sends interim responses as probes; clients must skip any
    /// number of them (RFC 9110, 15.2).
    bool is_gone(bool takes_probes) {
        constexpr std::string_view k_probe = "HTTP/1.1 100 Continue\r\n\r\n";
        const PeerState state = peer_state(socket_);
        if (state != PeerState::ended) {
            last_probe_ = Clock::now();
            return state == PeerState::gone;
        }
        if (takes_probes && Clock::now() - last_probe_ > k_pause_between_probes) {
            snapviewer::send(socket_, k_probe, 0ms);
            last_probe_ = Clock::now();
        }
        return false;
    }

    /// Waits for the head of the next request. False if no admitted request follows.
    bool receive_head() {
        std::array<char, 4096> room{};
        auto end = Clock::now() + longest_pause();
        while (!bytes_.has_head()) {
            if (bytes_.is_over() || Clock::now() > end) {
                refuse(socket_, site_, bytes_.all());
                return false;
            }
            const std::ptrdiff_t size = snapviewer::receive(socket_, room, k_look_for_stop);
            if (serving_.has_ended || (size < 0 && peer_state(socket_) == PeerState::gone)) return false;
            if (size > 0 && bytes_.all().empty()) end = Clock::now() + k_longest_head;
            if (size >= 0) bytes_.add(room, size);
        }
        if (site_.admits(bytes_.head())) return true;
        refuse(socket_, site_, bytes_.all());
        return false;
    }

    Socket socket_;
    RequestBytes bytes_;
    const Site& site_;
    const HttpLibrary http_;
    Serving& serving_;
    std::string_view left_;         ///< Unread rest of the head that is being answered
    Clock::time_point last_probe_;  ///< Time of the last probe, or when the client was last known to be open
};

/// Runs a reader on a new thread. The connection ends if no thread can be created.
void start_reader(std::shared_ptr<Reader> reader, const std::shared_ptr<Serving>& serving) {
    ++serving->connections;
    try {
        std::thread([reader = std::move(reader), serving]() mutable {
            take_no_signals();
            try {
                reader->run();
            } catch (const std::exception&) {  // out of memory ends the connection
            }
            reader.reset();
            --serving->connections;
        }).detach();
    } catch (const std::exception&) {  // out of threads or memory
        --serving->connections;
    }
}

/// Connections whose first request is incomplete. One thread receives them all, so that a slow client costs only a
/// descriptor. A request gets a thread once it is complete and admitted.
class Arrivals {
public:
    Arrivals(const Site& site, HttpLibrary http, const Socket& listener, std::shared_ptr<Serving> serving)
        : site_(site), http_(http), listener_(listener), serving_(std::move(serving)) {}

    /// Waits for input, at most k_look_for_stop, and processes it.
    void take_turn() {
        std::vector<const Socket*> sockets = {&listener_};
        for (const Arrival& arrival : waiting_) sockets.push_back(&arrival.socket);
        const std::vector<bool> has_input = wait_for_input(sockets, k_look_for_stop);
        std::size_t place = 1;
        for (auto each = waiting_.begin(); each != waiting_.end(); ++place) {
            const bool may_stay = Clock::now() < each->end;
            if (has_input[place] ? receive(*each) && may_stay : may_stay)
                ++each;
            else
                each = drop(each);
        }
        if (has_input.front()) accept_all();
        for (; !admitted_.empty() && serving_->connections < k_most_connections; admitted_.pop_front())
            start_reader(std::move(admitted_.front()), serving_);
    }

private:
    struct Arrival {
        Socket socket;
        RequestBytes bytes = {};
        Clock::time_point end = Clock::now() + k_longest_head;
    };
    using List = std::list<Arrival>;

    /// Receives the available bytes. Returns false if the arrival can be dropped, because its request was admitted or has to
    /// be refused.
    bool receive(Arrival& arrival) {
        std::array<char, 4096> room{};
        while (!arrival.bytes.has_head() && !arrival.bytes.is_over()) {
            const std::ptrdiff_t size = snapviewer::receive(arrival.socket, room, 0ms);
            if (size < 0) return peer_state(arrival.socket) != PeerState::gone;
            arrival.bytes.add(room, size);
        }
        if (!arrival.bytes.has_head() || !site_.admits(arrival.bytes.head())) return false;
        if (admitted_.size() < k_max_admitted)
            admitted_.push_back(std::make_shared<Reader>(std::exchange(arrival.socket, Socket()),
                                                         std::exchange(arrival.bytes, RequestBytes()), site_, http_,
                                                         *serving_));
        return false;
    }

    /// Refuses an arrival that was not admitted and removes it. An admitted one has no socket or bytes any more.
    List::iterator drop(List::iterator arrival) {
        refuse(arrival->socket, site_, arrival->bytes.all());
        return waiting_.erase(arrival);
    }

    void accept_all() {
        for (int i = 0; i < k_max_accepted_at_once; ++i) {
            std::error_code failed;
            Socket socket = accept_connection(listener_, failed);
            if (failed && waiting_.empty()) return rest(k_look_for_stop);
            if (!failed && !socket.is_open()) return;
            // Drops the connection that has been slow for longest. A client that sends its request at once never waits.
            if (failed || waiting_.size() == k_max_arrivals) drop(waiting_.begin());
            if (failed) continue;
            waiting_.push_back({std::move(socket)});
            if (!receive(waiting_.back())) drop(std::prev(waiting_.end()));
        }
    }

    const Site& site_;
    const HttpLibrary http_;
    const Socket& listener_;
    const std::shared_ptr<Serving> serving_;
    List waiting_;
    std::deque<std::shared_ptr<Reader>> admitted_;  ///< Admitted connections that wait for a thread
};

}  // namespace

bool serve_until_idle(const Site& site, ServeCommands& commands, HttpLibrary http, const Socket& listener,
                      std::chrono::seconds idle) {
    const auto serving = std::make_shared<Serving>();
    Arrivals arrivals(site, http, listener, serving);
    bool is_idle = false;
    while (!is_asked_to_end() && !is_idle) {
        try {
            arrivals.take_turn();
        } catch (const std::exception&) {  // out of memory; the next turn processes what this one did not
            rest(k_look_for_stop);
        }
        is_idle = idle.count() > 0 && serving->questions == 0 && serving->unused() > idle;
    }
    serving->has_ended = true;
    commands.end_all();
    // Waits at most a second for the threads: one may hang in a file system, and the process ends soon anyway.
    const auto end = Clock::now() + 1s;
    while (serving->connections > 0 && (is_idle || Clock::now() < end)) rest(5ms);
    return is_idle;
}

}  // namespace snapviewer
