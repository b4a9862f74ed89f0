#include "app/serve/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/serve/answers.h"
#include "app/serve/file_pages.h"
#include "app/serve/folder_pages.h"
#include "app/serve/http_message.h"
#include "app/serve/page_files.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/system/processes.h"

namespace snapviewer::serve {
namespace {

/// Headers of every answer. Browsers must not send the address, which contains the token, to other sites.
const std::pair<const char*, const char*> k_headers[] = {
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "private, no-cache"},  // cached, but validated before each use
};

/// Content security policy of the pages, which have no scripts and load nothing from other sites.
constexpr const char* k_policy =
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'";

std::string tag_of(const ServedPlace& file, const HttpQuestion& question) {
    const std::string all = file.version + file.path + question.target + question.accepted_encodings;
    return fmt::format("\"{:016x}\"", hash_bytes(all.data(), all.size()));
}

/// Returns an error text for parameters that several commands share, or "".
std::string why_not_asked(const RequestTarget& target) {
    const std::string device = target.parameter("device");
    if (!device.empty() && !parse_number<int>(device)) return "device: '" + device + "' is not a number";
    const std::string refresh = target.parameter("refresh");
    if (!refresh.empty() && parse_number<std::uint16_t>(refresh).value_or(0) == 0)
        return "refresh: '" + refresh + "' is not a number of seconds from 1 to 65535";
    return "";
}

}  // namespace

Site::Site(ServedFolder served, std::string token, AllowedHosts hosts, PageFiles page, ServeCommands& commands)
    : served_(std::move(served)),
      token_(std::move(token)),
      hosts_(std::move(hosts)),
      page_(std::move(page)),
      root_name_(served_.find({})->path),
      commands_(commands) {}

bool Site::admits(std::string_view head) const {
    const auto target = target_of_head(head);
    return target && parse_request_target(*target, token_);
}

std::string Site::refusal(std::string_view begun) const {
    const HttpAnswer answer = not_found();
    std::string bytes = "HTTP/1.1 404 Not Found\r\nContent-Security-Policy: " + std::string(k_policy) + "\r\n";
    for (const auto& [name, value] : k_headers) bytes += fmt::format("{}: {}\r\n", name, value);
    bytes +=
        fmt::format("Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.type, answer.body.size());
    return begun.starts_with("HEAD ") ? bytes : bytes + answer.body;
}

HttpAnswer Site::answer(const HttpQuestion& question, const ServeCommands::IsReaderGone& is_reader_gone) const {
    const auto target = parse_request_target(question.target, token_);
    HttpAnswer answer = target ? answer_to(question, *target, is_reader_gone) : not_found();
    if (!target || !target->is_page_path) answer.headers.emplace_back("Content-Security-Policy", k_policy);
    for (const auto& [name, value] : k_headers) answer.headers.emplace_back(name, value);
    return answer;
}

HttpAnswer Site::answer_to(const HttpQuestion& question, const RequestTarget& target,
                           const ServeCommands::IsReaderGone& is_reader_gone) const {
    if (question.method != "GET" && question.method != "HEAD")
        return {.status = 405, .type = "text/plain", .headers = {{"Allow", "GET, HEAD"}}, .body = "Read only\n"};
    if (is_allowed_host(question.host)) return allowed_answer(question, target, is_reader_gone);
    return serve::refusal(421,
                          "This page was asked for under a name of this machine that is not known. If a proxy leads "
                          "here, name it: snapviewer serve --host NAME",
                          target);
}

HttpAnswer Site::allowed_answer(const HttpQuestion& question, const RequestTarget& target,
                                const ServeCommands::IsReaderGone& is_reader_gone) const {
    if (target.is_page_path) return page_.answer(question, target);
    const auto place = served_.find(target.names);
    if (!place) return not_found();
    if (!target.ends_with_slash && place->used_names == target.names.size()) {
        const std::string name = target.names.empty() ? token_ : escaped_for_link(target.names.back());
        return redirection(name + "/" + query_of(target.parameters));
    }
    if (const std::string reason = why_not_asked(target); !reason.empty()) return serve::refusal(400, reason, target);
    if (!place->is_folder()) return file_answer(question, target, *place, is_reader_gone);
    if (target.has("fleet")) return fleet_page(served_, root_name_, *place, target, commands_, is_reader_gone);
    if (target.has("series")) return series_page(served_, root_name_, *place, target, commands_, is_reader_gone);
    return folder_page(served_, root_name_, *place, target);
}

HttpAnswer Site::file_answer(const HttpQuestion& question, const RequestTarget& target, const ServedPlace& file,
                             const ServeCommands::IsReaderGone& is_reader_gone) const {
    const std::string tag = tag_of(file, question);
    if (question.known_tag == tag) return {.status = 304, .headers = {{"ETag", tag}}};
    const FilePages pages(commands_, file, target, page_.is_there(), is_reader_gone);
    const std::size_t names_behind = target.names.size() - file.used_names;
    const std::string part = names_behind == 0 ? "" : target.names.back();
    HttpAnswer answer = not_found();
    if (names_behind == 0)
        answer = pages.page(root_name_);
    else if (names_behind == 1 && !target.ends_with_slash && part == k_picture_name)
        answer = pages.picture();
    else if (names_behind == 1 && !target.ends_with_slash && part == k_query_name)
        answer = pages.query(root_name_);
    else if (names_behind == 1 && !target.ends_with_slash && part == file.name && file.kind == ServedPlace::Kind::file)
        answer = download(file, question, tag, target);
    if (answer.status == 200) answer.headers.emplace_back("ETag", tag);
    return answer;
}

bool Site::is_allowed_host(const std::string& host) const {
    if (hosts_.any || is_loopback_host(host)) return true;
    const std::string name = lower_case(std::string_view(host).substr(0, host.find(':')));
    return std::ranges::find(hosts_.names, name) != hosts_.names.end();
}

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int k_max_connections = 256;  // maximum number of connections whose requests are being answered
constexpr std::size_t k_max_arrivals = 384;
constexpr std::size_t k_max_admitted = 128;  // maximum number of admitted connections that wait for a thread
constexpr int k_max_accepted_at_once = 1024;
constexpr int k_max_requests = 1000;               // maximum number of requests per connection
constexpr Clock::duration k_max_head = 10s;        // maximum time for receiving the head of a request
constexpr Clock::duration k_max_pause = 15s;       // maximum pause between two requests of a connection
constexpr Clock::duration k_max_standstill = 30s;  // maximum time without progress in sending
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
    std::size_t head_bytes_ = 0;  ///< length of the head; 0 until it is complete
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
        for (int i = 0; i < k_max_requests && !serving_.has_ended; ++i) {
            left_ = bytes_.head();
            if (http_.exchange(static_cast<HttpPeer*>(this)) == 0) return;
            bytes_.drop_head();
            if (!receive_head()) return;
        }
    }

    std::ptrdiff_t receive(std::span<char> room) override {
        if (left_.empty()) return -1;  // the library must not read beyond the head
        const std::size_t size = std::min(room.size(), left_.size());
        std::ranges::copy(left_.substr(0, size), room.begin());
        left_.remove_prefix(size);
        return static_cast<std::ptrdiff_t>(size);
    }

    std::ptrdiff_t send(std::span<const char> bytes) override {
        const auto end = Clock::now() + k_max_standstill;
        while (!serving_.has_ended && Clock::now() < end) {
            const std::ptrdiff_t size = snapviewer::send(socket_, bytes, k_stop_poll_interval);
            if (size < 0 && peer_state(socket_) != PeerState::disconnected) continue;
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
    Clock::duration longest_pause() const { return serving_.connections > k_max_connections / 2 ? 1s : k_max_pause; }

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
            return state == PeerState::disconnected;
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
            const std::ptrdiff_t size = snapviewer::receive(socket_, room, k_stop_poll_interval);
            if (serving_.has_ended || (size < 0 && peer_state(socket_) == PeerState::disconnected)) return false;
            if (size > 0 && bytes_.all().empty()) end = Clock::now() + k_max_head;
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
            block_signals();
            try {
                reader->run();
            } catch (const std::exception&) {  // out of memory; the connection ends
            }
            reader.reset();
            --serving->connections;
        }).detach();
    } catch (const std::exception&) {  // out of threads or memory; the connection ends
        --serving->connections;
    }
}

/// Connections whose first request is incomplete. One thread receives them all, so that a slow client costs only a
/// descriptor. A request gets a thread once it is complete and admitted.
class Arrivals {
public:
    Arrivals(const Site& site, HttpLibrary http, const Socket& listener, std::shared_ptr<Serving> serving)
        : site_(site), http_(http), listener_(listener), serving_(std::move(serving)) {}

    /// Waits for input, at most k_stop_poll_interval, and processes it.
    void run_on_main_thread() {
        std::vector<const Socket*> sockets = {&listener_};
        for (const Arrival& arrival : waiting_) sockets.push_back(&arrival.socket);
        const std::vector<bool> has_input = wait_for_input(sockets, k_stop_poll_interval);
        std::size_t place = 1;
        for (auto each = waiting_.begin(); each != waiting_.end(); ++place) {
            const bool may_stay = Clock::now() < each->end;
            if (has_input[place] ? receive(*each) && may_stay : may_stay)
                ++each;
            else
                each = drop(each);
        }
        if (has_input.front()) accept_all();
        for (; !admitted_.empty() && serving_->connections < k_max_connections; admitted_.pop_front())
            start_reader(std::move(admitted_.front()), serving_);
    }

private:
    struct Arrival {
        Socket socket;
        RequestBytes bytes = {};
        Clock::time_point end = Clock::now() + k_max_head;
    };
    using List = std::list<Arrival>;

    /// Receives the available bytes. Returns false once the arrival need not wait any longer: its request was admitted, or
    /// has to be refused.
    bool receive(Arrival& arrival) {
        std::array<char, 4096> room{};
        while (!arrival.bytes.has_head() && !arrival.bytes.is_over()) {
            const std::ptrdiff_t size = snapviewer::receive(arrival.socket, room, 0ms);
            if (size < 0) return peer_state(arrival.socket) != PeerState::disconnected;
            arrival.bytes.add(room, size);
        }
        if (!arrival.bytes.has_head() || !site_.admits(arrival.bytes.head())) return false;
        if (admitted_.size() < k_max_admitted)
            admitted_.push_back(std::make_shared<Reader>(std::exchange(arrival.socket, Socket()),
                                                         std::exchange(arrival.bytes, RequestBytes()), site_, http_,
                                                         *serving_));
        return false;
    }

    /// Removes an arrival, and refuses its request if that was not admitted. No-op for the socket of an admitted request,
    /// which has moved to a Reader.
    List::iterator drop(List::iterator arrival) {
        refuse(arrival->socket, site_, arrival->bytes.all());
        return waiting_.erase(arrival);
    }

    void accept_all() {
        for (int i = 0; i < k_max_accepted_at_once; ++i) {
            std::error_code failed;
            Socket socket = accept_connection(listener_, failed);
            if (failed && waiting_.empty()) return sleep_for(k_stop_poll_interval);
            if (!failed && !socket.is_open()) return;
            // Drops the connection that has been waiting for longest. A client that sends its request at once never waits.
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
    while (!is_end_requested() && !is_idle) {
        try {
            arrivals.run_on_main_thread();
        } catch (const std::exception&) {  // out of memory; the next iteration retries
            sleep_for(k_stop_poll_interval);
        }
        is_idle = idle.count() > 0 && serving->questions == 0 && serving->unused() > idle;
    }
    serving->has_ended = true;
    commands.end_all();
    // Waits at most a second for the threads: one may hang in a file system, and the process ends soon anyway.
    const auto end = Clock::now() + 1s;
    while (serving->connections > 0 && (is_idle || Clock::now() < end)) sleep_for(5ms);
    return is_idle;
}

}  // namespace snapviewer::serve
