#include "core/load/remote_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/load/failure.h"
#include "core/load/packings.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_wire_piece_bytes = 1 << 18;
constexpr std::size_t k_most_before_file = 1 << 18;  ///< that login scripts may print, or an http server send as a header
constexpr std::size_t k_most_messages = 1 << 14;

/// The last line that says something: those before are banners and warnings.
std::string last_line(std::string_view messages) {
    messages = trimmed(messages);
    return shortened(one_line(trimmed(messages.substr(messages.rfind('\n') + 1))), 400);
}

/// What lies before the next `separator`; takes both off.
std::string_view take_until(std::string_view& text, std::string_view separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + separator.size()));
    return part;
}

/// The value of a field of an http header.
std::optional<std::string_view> http_field(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        std::string_view line = take_until(header, "\r\n");
        if (lower_case(take_until(line, ":")) == name) return trimmed(line);
    }
    return std::nullopt;
}

}  // namespace

/// What the program writes, packed or not.
class RemoteSource::Wire : public ByteSource {
public:
    Wire(const RemoteFetch& fetch, Progress& progress)
        : program_(*fetch.program),
          name_(fetch.address.way == RemoteAddress::Way::ssh ? "ssh" : "curl"),
          progress_(progress),
          room_(k_wire_piece_bytes) {}

    std::string_view next_piece() override {
        if (const std::string_view piece = std::exchange(front_, {}); !piece.empty()) return piece;
        while (!is_at_end_) {
            stop_if_asked();
            need_ok(progress_.budget().check_memory());
            const auto piece = program_.read(room_, k_look_for_stop);
            if (!piece) continue;
            if (piece->stream == ChildProgram::Stream::messages) {
                add_messages(piece->size_bytes);
            } else if (piece->size_bytes > 0) {
                progress_.budget().add_file(piece->size_bytes);
                progress_.add_wire_bytes(piece->size_bytes);
                return {room_.data(), piece->size_bytes};
            } else {
                finish();
            }
        }
        return {};
    }

    /// Gives this at the next call, before anything else.
    void put_back(std::string_view piece) { front_ = piece; }

    /// Whoever waits for the next piece gets a failure soon. Any thread.
    void give_up() { is_given_up_ = true; }

    /// Why it broke off; empty while it did not.
    const std::string& error() const { return error_; }
    /// Whether nothing more comes.
    bool is_at_end() const { return is_at_end_; }

private:
    void stop_if_asked() {
        if (!is_given_up_ && !progress_.stop_requested()) return;
        program_.end();
        fail_stopped();
    }

    void add_messages(std::size_t size_bytes) {
        messages_.append(room_.data(), size_bytes);
        if (messages_.size() > k_most_messages) messages_.erase(0, messages_.size() - k_most_messages);
    }

    /// It may leave somebody behind who keeps its messages open, as a shared connection of ssh does; what is there is
    /// enough.
    void finish() {
        is_at_end_ = true;
        // The other machine may have sent all it has and go on with something else.
        constexpr std::chrono::milliseconds k_pause{2};
        while (!program_.has_ended()) {
            stop_if_asked();
            std::this_thread::sleep_for(k_pause);
        }
        const int status = program_.wait();
        while (const auto piece = program_.read(room_, {})) {
            if (piece->size_bytes == 0) break;
            add_messages(piece->size_bytes);
        }
        if (status == 0) return;
        error_ = last_line(messages_);
        if (error_.empty()) error_ = fmt::format("{} ended with status {}", name_, status);
        fail_cut(error_, std::nullopt);
    }

    ChildProgram& program_;
    std::string name_;
    Progress& progress_;
    std::vector<char> room_;
    std::string_view front_;
    std::string messages_;
    std::string error_;
    std::atomic<bool> is_given_up_ = false;
    bool is_at_end_ = false;
};

RemoteSource::RemoteSource(RemoteFetch fetch, Progress& progress)
    : progress_(progress), fetch_(std::move(fetch)), wire_(std::make_unique<Wire>(fetch_, progress)) {
    try {
        fetch_.address.way == RemoteAddress::Way::ssh ? read_greeting() : read_http_header();
    } catch (ReadFailure& failure) {
        if (!failure.is_cut) throw;
        fail_unreached();
    }
}

RemoteSource::~RemoteSource() {
    wire_->give_up();  // for which a thread of unpacked_ may be waiting
    fetch_.program->end();
}

void RemoteSource::fail_unreached() const {
    const std::string why = wire_->error().empty() ? "nothing was sent" : wire_->error();
    throw ReadFailure{{ErrorCode::io, "cannot be fetched: " + why}};
}

/// Whatever login scripts print comes before it.
void RemoteSource::read_greeting() {
    const std::string begin = "\n" + fetch_.greeting + " ";
    std::string_view rest;
    while (true) {
        const std::size_t at = before_file_.find(begin);
        if (at != before_file_.npos && before_file_.find('\n', at + 1) != before_file_.npos) {
            rest = std::string_view(before_file_).substr(at + begin.size());
            break;
        }
        read_before_file();
    }
    std::string_view line = take_until(rest, "\n");
    const std::string packing(take_until(line, " "));
    expected_bytes_ = parse_number<std::uint64_t>(trimmed(line)).value_or(0);
    wire_->put_back(rest);
    if (packing == "plain") return;
    reader_ = make_unpacker(packing, *wire_);
    if (reader_ == nullptr) fail("comes packed with '" + shortened(one_line(packing), 40) + "', which is not known");
    progress_.budget().expect_dense_packing();
    unpacked_ = std::make_unique<ReadAhead>(*reader_, progress_);
}

/// curl writes the headers of all answers, and the body of the last one alone.
void RemoteSource::read_http_header() {
    constexpr std::string_view k_end = "\r\n\r\n";
    std::string_view rest;
    std::string_view header;
    while (true) {
        rest = before_file_;
        const bool is_whole = rest.find(k_end) != rest.npos;
        header = take_until(rest, k_end);
        const std::string_view status = header.substr(std::min(header.size(), header.find(' ')));
        const bool is_followed = status.starts_with(" 1") || (status.starts_with(" 3") && http_field(header, "location"));
        if (is_whole && !is_followed) break;
        if (is_whole)
            before_file_.erase(0, before_file_.size() - rest.size());
        else
            read_before_file();
    }
    expected_bytes_ = parse_number<std::uint64_t>(http_field(header, "content-length").value_or("")).value_or(0);
    wire_->put_back(rest);
}

void RemoteSource::read_before_file() {
    const std::string_view piece = wire_->next_piece();
    if (piece.empty() || before_file_.size() > k_most_before_file) fail_unreached();
    before_file_ += piece;
}

std::string_view RemoteSource::next_piece() {
    std::string_view piece;
    try {
        piece = unpacked_ ? unpacked_->next_piece() : wire_->next_piece();
    } catch (ReadFailure& failure) {
        if (!failure.is_cut) throw;
        if (expected_bytes_ > 0 && read_bytes_ == expected_bytes_) return {};  // only saying goodbye went wrong
        if (!wire_->is_at_end()) fail_cut("was damaged on its way or before", read_bytes_);
        if (read_bytes_ == 0) fail_unreached();
        fail_cut("the connection broke off" + (wire_->error().empty() ? "" : ": " + wire_->error()), read_bytes_);
    }
    if (piece.empty() && read_bytes_ < expected_bytes_) fail_cut("the connection broke off", read_bytes_);
    read_bytes_ += piece.size();
    progress_.update(read_bytes_, expected_bytes_);
    return piece;
}

}  // namespace snapviewer
