#include "core/load/remote_wire.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_wire_piece_bytes = 1 << 18;
constexpr std::size_t k_most_messages = 1 << 14;
/// Maximum bytes of messages before the program is ended. A verbose ssh writes some kilobytes for each gigabyte of a file.
constexpr std::size_t k_max_message_bytes = std::size_t{16} << 20;

/// Returns the last non-empty line. The lines before it are banners and warnings.
std::string last_line(std::string_view messages) {
    messages = trimmed(messages);
    return shortened(one_line(trimmed(messages.substr(messages.rfind('\n') + 1))), 400);
}

}  // namespace

ProgramWire::ProgramWire(const RemoteFetch& fetch)
    : program_(fetch.program),
      name_(fetch.address.way == RemoteAddress::Way::ssh ? "ssh" : "curl"),
      room_(k_wire_piece_bytes) {}

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
    need_ok(budget_of_thread().check_memory());
    const auto piece = program_->read(room_, k_look_for_stop);
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
    return std::string_view(room_.data(), piece->size_bytes);
}

void ProgramWire::stop_if_asked() {
    if (!is_given_up_ && !must_stop()) return;
    program_->end();
    throw Failure{stop_error()};
}

void ProgramWire::add_messages(std::size_t size_bytes) {
    messages_.append(room_.data(), size_bytes);
    if (messages_.size() > k_most_messages) messages_.erase(0, messages_.size() - k_most_messages);
    message_bytes_ += size_bytes;
    if (message_bytes_ <= k_max_message_bytes) return;
    is_at_end_ = true;
    program_->end();
    error_ = fmt::format("{} wrote more than {} of messages and was ended; try it in a terminal. The last one: {}", name_,
                         format_bytes(k_max_message_bytes), last_line(messages_));
    fail_cut(error_, std::nullopt);
}

bool ProgramWire::read_messages() {
    const auto piece = program_->read(room_, {});
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
    fail_cut(error_, std::nullopt);
}

}  // namespace snapviewer
