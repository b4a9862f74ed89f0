// The only source that uses cpp-httplib. It is a shared library of its own, which only `serve` loads: with the libraries
// that Debian links cpp-httplib with, the dynamic loader would take half as long again for every command.
#include <httplib.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/serve/http_message.h"

namespace snapviewer::serve {
namespace {

/// A stream over an HttpPeer. Omits `override`, because versions of the library differ in which of these functions are
/// virtual.
class PeerStream final : public httplib::Stream {
public:
    explicit PeerStream(HttpPeer& peer) : peer_(peer) {}

    bool is_readable() const { return true; }
    bool wait_readable() const { return true; }
    bool is_writable() const { return true; }
    bool wait_writable() const { return true; }
    ssize_t read(char* bytes, std::size_t size) { return peer_.receive({bytes, size}); }
    ssize_t write(const char* bytes, std::size_t size) { return peer_.send({bytes, size}); }
    void get_remote_ip_and_port(std::string&, int&) const {}
    void get_local_ip_and_port(std::string&, int&) const {}
    socket_t socket() const { return 0; }
    time_t duration() const { return 0; }

private:
    HttpPeer& peer_;
};

HttpQuestion question_of(const httplib::Request& request) {
    HttpQuestion question{.method = request.method, .target = request.target, .version = request.version};
    question.host = request.get_header_value("Host");
    question.accepted_encodings = request.get_header_value("Accept-Encoding");
    question.known_tag = request.get_header_value("If-None-Match");
    question.range_only_of = request.get_header_value("If-Range");
    const std::string length = request.get_header_value("Content-Length");
    question.has_body = request.has_header("Transfer-Encoding") || (!length.empty() && length != "0");
    return question;
}

constexpr std::size_t k_max_copied_bytes = 256 << 10;
constexpr std::size_t k_max_piece_bytes = 256 << 10;

void put(HttpAnswer answer, bool knows_chunks, httplib::Response& response) {
    response.status = answer.status;
    for (const auto& [name, value] : answer.headers) response.set_header(name, value);
    if (!answer.next_piece && !answer.shared_body && answer.body.size() > k_max_copied_bytes)
        answer.shared_body = std::make_shared<const std::string>(std::move(answer.body));
    if (const auto body = answer.shared_body; body && !body->empty()) {
        const auto send = [body, room = answer.room](std::size_t offset, std::size_t size, httplib::DataSink& sink) {
            return sink.write(body->data() + offset, std::min(size, k_max_piece_bytes));
        };
        response.set_content_provider(body->size(), answer.type, send);
        return;
    }
    if (!answer.next_piece) {
        response.set_content(answer.body, answer.type);
        return;
    }
    const auto send_piece = [next = std::move(answer.next_piece)](httplib::DataSink& sink) {
        const std::optional<std::string> piece = next();
        if (!piece) return false;
        if (piece->empty()) sink.done();
        return piece->empty() || sink.write(piece->data(), piece->size());
    };
    if (answer.size_bytes) {
        response.set_content_provider(
            *answer.size_bytes, answer.type,
            [send_piece](std::size_t, std::size_t, httplib::DataSink& sink) { return send_piece(sink); });
        return;
    }
    const auto provider = [send_piece](std::size_t, httplib::DataSink& sink) { return send_piece(sink); };
    if (knows_chunks) response.set_chunked_content_provider(answer.type, provider);
    if (!knows_chunks) response.set_content_provider(answer.type, provider);
}

/// Uses only the library's code that reads one request and writes one answer. Connections, threads and timeouts are handled
/// by this program.
class OneExchange final : public httplib::Server {
public:
    explicit OneExchange(HttpPeer& peer) : stream_(peer) {
        svr_sock_ = 0;  // without a valid socket the library considers the server stopped and sends nothing
        set_pre_routing_handler([this, &peer](const httplib::Request& request, httplib::Response& response) {
            HttpQuestion question = question_of(request);
            question.range = range_;
            put(peer.answer(question), request.version == "HTTP/1.1", response);
            goes_on_ = !question.has_body;  // the body is never read, so the connection must end after the answer
            return HandlerResponse::Handled;
        });
    }

    bool run() {
        bool is_closed = false;
        // Versions of the library differ in how they handle ranges, and some do not check them against the size, so this
        // program handles them.
        const auto take_range = [this](httplib::Request& request) {
            if (request.ranges.size() == 1) range_.emplace(request.ranges[0].first, request.ranges[0].second);
            request.ranges.clear();
        };
        const bool is_done = exchange(*this, is_closed, take_range);
        return is_done && !is_closed && goes_on_;
    }

private:
    /// Calls process_request(), which in newer versions also takes the addresses of both sides.
    template <typename Self, typename TakeRange>
    static bool exchange(Self& self, bool& is_closed, const TakeRange& take_range) {
        if constexpr (requires { self.process_request(self.stream_, false, is_closed, take_range); })
            return self.process_request(self.stream_, false, is_closed, take_range);
        else
            return self.process_request(self.stream_, "", 0, "", 0, false, is_closed, take_range);
    }

    PeerStream stream_;
    std::optional<std::pair<std::int64_t, std::int64_t>> range_;
    bool goes_on_ = false;  ///< Whether the connection stays open; false if the library refuses the request
};

}  // namespace
}  // namespace snapviewer::serve

/// Entry point of the shared library; see HttpLibrary in app/system/late_libraries.h.
extern "C" int snapviewer_exchange_http(void* peer) {
    return snapviewer::serve::OneExchange(*static_cast<snapviewer::serve::HttpPeer*>(peer)).run() ? 1 : 0;
}
