#include "core/load/remote/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/remote/folder.h"

namespace snapviewer::remote {
namespace {

constexpr std::size_t k_max_remote_name_bytes = 4096;
constexpr std::string_view k_current_folder = "./";

/// Removes the text before the next `separator`, and the separator, from `text`. Returns the removed text without the
/// separator.
std::string_view take_until(std::string_view& text, std::string_view separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + separator.size()));
    return part;
}

/// Returns the value of a field of an HTTP header, or nullopt. `name` is in lower case.
std::optional<std::string_view> http_field(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        std::string_view line = take_until(header, "\r\n");
        if (lower_case(take_until(line, ":")) == name) return trimmed(line);
    }
    return std::nullopt;
}

bool stays_below(std::string_view name) {
    if (name.size() > k_max_remote_name_bytes || name.find('\0') != name.npos) return false;
    while (true) {
        const std::size_t end = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part == "." || part == "..") return false;
        if (end == name.size()) return true;
        name.remove_prefix(end + 1);
    }
}

constexpr std::size_t k_wire_piece_bytes = 1 << 18;
constexpr std::size_t k_max_messages = 1 << 14;
/// Maximum bytes of messages before the program is ended. A verbose ssh writes some kilobytes for each gigabyte of a file.
constexpr std::size_t k_max_message_bytes = std::size_t{16} << 20;

/// Returns the last non-empty line. The lines before it are banners and warnings.
std::string last_line(std::string_view messages) {
    messages = trimmed(messages);
    return shortened(one_line(trimmed(messages.substr(messages.rfind('\n') + 1))), 400);
}

/// Returns the next piece that precedes the file. Returns "" at the end, or if more than k_max_bytes_before_file bytes
/// preceded the file.
std::string_view next_before_file(ProgramWire& wire, std::size_t before_bytes) {
    return before_bytes > k_max_bytes_before_file ? std::string_view() : wire.next_piece();
}

[[noreturn]] void fail_too_large() {
    throw Failure{{ErrorCode::unsupported, "is more than the " + format_bytes(limits::k_http_bytes) +
                                               " that are read from a link; download it, and open the file"}};
}

}  // namespace

SentFile parse_sent_file(std::string_view line) {
    std::string packing(take_until(line, " "));
    return {std::move(packing), parse_number<std::uint64_t>(trimmed(line)).value_or(0)};
}

std::vector<RemoteEntry> parse_listing(std::string_view text) {
    std::vector<RemoteEntry> entries;
    while (!text.empty()) {
        std::string_view line = take_until(text, "\n");
        const auto size_bytes = parse_number<std::uint64_t>(take_until(line, " "));
        const auto modified_s = parse_number<std::int64_t>(take_until(line, " "));
        if (!size_bytes || !modified_s || !line.starts_with(k_current_folder)) continue;
        line.remove_prefix(k_current_folder.size());
        if (stays_below(line)) entries.push_back({std::string(line), *size_bytes, *modified_s});
    }
    return entries;
}

std::optional<HttpAnswer> parse_http_answer(std::string_view text) {
    constexpr std::string_view k_end = "\r\n\r\n";
    const std::size_t end = text.find(k_end);
    if (end == text.npos) return std::nullopt;
    const std::string_view header = text.substr(0, end);
    const std::string_view status = header.substr(std::min(header.size(), header.find(' ')));
    HttpAnswer answer;
    answer.header_bytes = end + k_end.size();
    answer.is_followed = status.starts_with(" 1") || (status.starts_with(" 3") && http_field(header, "location"));
    answer.body_bytes = parse_number<std::uint64_t>(http_field(header, "content-length").value_or("")).value_or(0);
    return answer;
}

void MarkedText::add(std::string_view piece) {
    text_.erase(0, std::exchange(taken_, 0));
    text_ += piece;
}

std::string_view MarkedText::take_content() {
    const std::string_view rest = this->rest();
    const std::size_t at = rest.find(begin_of_line_);
    // The last bytes may be the beginning of a message line.
    const std::size_t open = std::min(rest.size(), begin_of_line_.size() - 1);
    const std::string_view content = rest.substr(0, at == rest.npos ? rest.size() - open : at);
    taken_ += content.size();
    return content;
}

std::optional<std::string> MarkedText::take_line() {
    std::string_view rest = this->rest();
    if (!rest.starts_with(begin_of_line_)) return std::nullopt;
    rest.remove_prefix(begin_of_line_.size());
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return std::nullopt;
    std::string line(rest.substr(0, end));
    taken_ += begin_of_line_.size() + end + 1;
    return line;
}

ProgramWire::ProgramWire(const RemoteFetch& fetch)
    : program_(fetch.program),
      name_(fetch.address.transport == RemoteAddress::Transport::ssh ? "ssh" : "curl"),
      buffer_(k_wire_piece_bytes) {}

ProgramWire::~ProgramWire() { program_->end(); }

std::string_view ProgramWire::next_piece() {
    while (true) {
        if (!is_at_end_) stop_if_asked();
        if (const auto piece = poll_piece()) return *piece;
    }
}

std::optional<std::string_view> ProgramWire::poll_piece() {
    if (const std::string_view piece = std::exchange(front_, {}); !piece.empty()) return piece;
    if (is_at_end_) return std::string_view();
    throw_if_error(budget_of_thread().check_memory());
    const auto piece = program_->read(buffer_, k_stop_poll_interval);
    if (!piece) return std::nullopt;
    if (piece->stream == ChildProgram::Stream::messages) {
        add_messages(piece->size_bytes);
        return std::nullopt;
    }
    if (piece->size_bytes == 0) {
        finish();
        return std::string_view();
    }
    budget_of_thread().add_file(piece->size_bytes);
    if (Progress* const progress = Context::current().progress) progress->add_wire_bytes(piece->size_bytes);
    return std::string_view(buffer_.data(), piece->size_bytes);
}

void ProgramWire::stop_if_asked() {
    if (!is_cancelled_ && !must_stop()) return;
    program_->end();
    throw Failure{stop_error()};
}

void ProgramWire::add_messages(std::size_t size_bytes) {
    messages_.append(buffer_.data(), size_bytes);
    if (messages_.size() > k_max_messages) messages_.erase(0, messages_.size() - k_max_messages);
    message_bytes_ += size_bytes;
    if (message_bytes_ <= k_max_message_bytes) return;
    is_at_end_ = true;
    program_->end();
    error_ = fmt::format("{} wrote more than {} of messages and was ended; try it in a terminal. The last one: {}", name_,
                         format_bytes(k_max_message_bytes), last_line(messages_));
    bytes::fail_cut(error_, std::nullopt);
}

bool ProgramWire::read_messages() {
    const auto piece = program_->read(buffer_, {});
    if (piece) add_messages(piece->size_bytes);
    return piece && piece->size_bytes > 0;
}

/// Waits for the end of the program and collects its messages. Does not wait for the end of the messages, because a child
/// process may keep them open, such as a shared connection of ssh.
void ProgramWire::finish() {
    is_at_end_ = true;
    // The remote machine may have sent everything and still be busy, so this loop checks for a stop.
    constexpr std::chrono::milliseconds k_pause{2};
    while (!program_->has_ended()) {
        stop_if_asked();
        if (!read_messages()) std::this_thread::sleep_for(k_pause);
    }
    const int status = program_->wait();
    while (read_messages()) {
    }
    if (status == 0) return;
    error_ = last_line(messages_);
    if (error_.empty()) error_ = fmt::format("{} ended with status {}", name_, status);
    bytes::fail_cut(error_, std::nullopt);
}

RemoteSource::RemoteSource(RemoteFetch fetch) {
    try {
        begin(fetch);
    } catch (Failure& failure) {
        if (!failure.is_cut) throw;
        fail_unreachable();
    }
}

RemoteSource::~RemoteSource() {
    wire_->cancel();  // wakes the unpacking thread, which may wait for bytes from wire_
}

void RemoteSource::begin(const RemoteFetch& fetch) {
    SentFile sent;
    if (fetch.folder != nullptr) {
        auto wire = std::make_unique<FolderWire>(fetch);
        folder_ = fetch.folder;
        sent = wire->sent();
        wire_ = std::move(wire);
    } else {
        auto wire = std::make_unique<ProgramWire>(fetch);
        ProgramWire& program = *wire;
        wire_ = std::move(wire);
        sent = fetch.address.transport == RemoteAddress::Transport::ssh ? read_greeting(program, fetch.greeting)
                                                                        : read_http_header(program);
    }
    expected_bytes_ = sent.size_bytes;
    if (sent.packing == "plain") return;
    reader_ = bytes::make_unpacker(sent.packing, *wire_);
    if (reader_ == nullptr)
        bytes::fail("comes packed with '" + shortened(one_line(sent.packing), 40) + "', which is not known");
    budget_of_thread().expect_dense_packing();
    unpacked_ = std::make_unique<bytes::ReadAhead>(*reader_);
}

void RemoteSource::fail_unreachable() const {
    const std::string why = wire_ == nullptr || wire_->error().empty() ? "nothing was sent" : wire_->error();
    throw Failure{{ErrorCode::io, "cannot be fetched: " + why}};
}

/// Reads the announcement of the file, which follows the greeting. Skips the output of login scripts before it.
SentFile RemoteSource::read_greeting(ProgramWire& wire, const std::string& greeting) {
    MarkedText text(greeting);
    std::optional<std::string> line;
    for (std::size_t before_bytes = 0; !line; line = text.take_line()) {
        const std::string_view piece = next_before_file(wire, before_bytes);
        if (piece.empty()) fail_unreachable();
        before_bytes += piece.size();
        text.add(piece);
        text.take_content();
    }
    before_file_ = text.rest();
    wire.put_back(before_file_);
    return parse_sent_file(*line);
}

/// Reads the HTTP header of the file. curl writes the headers of all responses, redirects included, but only the last body.
SentFile RemoteSource::read_http_header(ProgramWire& wire) {
    for (std::size_t before_bytes = 0;;) {
        const auto answer = parse_http_answer(before_file_);
        if (answer && !answer->is_followed) {
            if (answer->body_bytes > limits::k_http_bytes) fail_too_large();
            max_bytes_ = limits::k_http_bytes;
            wire.put_back(std::string_view(before_file_).substr(answer->header_bytes));
            return {"plain", answer->body_bytes};
        }
        if (answer) {
            before_file_.erase(0, answer->header_bytes);
            continue;
        }
        const std::string_view piece = next_before_file(wire, before_bytes);
        if (piece.empty()) fail_unreachable();
        before_bytes += piece.size();
        before_file_ += piece;
    }
}

std::string_view RemoteSource::next_piece() {
    std::string_view piece;
    try {
        piece = unpacked_ ? unpacked_->next_piece() : wire_->next_piece();
    } catch (Failure& failure) {
        if (!failure.is_cut) throw;
        // The file is complete; only ending the connection failed.
        if (expected_bytes_ > 0 && read_bytes_ == expected_bytes_) return {};
        if (!wire_->is_at_end()) bytes::fail_cut("was damaged on its way or before", read_bytes_);
        if (read_bytes_ == 0) fail_unreachable();
        bytes::fail_cut("the connection broke off" + (wire_->error().empty() ? "" : ": " + wire_->error()), read_bytes_);
    }
    if (piece.empty() && read_bytes_ < expected_bytes_) bytes::fail_cut("the connection broke off", read_bytes_);
    read_bytes_ += piece.size();
    if (read_bytes_ > max_bytes_) fail_too_large();
    if (folder_ != nullptr) folder_->add_unpacked(piece.size());
    report_done(read_bytes_, expected_bytes_);
    return piece;
}

}  // namespace snapviewer::remote
