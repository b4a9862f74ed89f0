#include "core/load/remote_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/packings.h"
#include "core/load/remote_folder.h"

namespace snapviewer {
namespace {

/// Returns the next piece that precedes the file. Returns "" at the end, or if more than k_most_before_file bytes preceded
/// the file.
std::string_view next_before_file(ProgramWire& wire, std::size_t before_bytes) {
    return before_bytes > k_most_before_file ? std::string_view() : wire.next_piece();
}

[[noreturn]] void fail_too_large() {
    throw Failure{{ErrorCode::unsupported, "is more than the " + format_bytes(limits::k_http_bytes) +
                                               " that are read from a link; download it, and open the file"}};
}

}  // namespace

RemoteSource::RemoteSource(RemoteFetch fetch) {
    try {
        begin(fetch);
    } catch (Failure& failure) {
        if (!failure.is_cut) throw;
        fail_unreached();
    }
}

RemoteSource::~RemoteSource() {
    wire_->give_up();  // wakes the thread of unpacked_ if it waits for the wire
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
        sent = fetch.address.way == RemoteAddress::Way::ssh ? read_greeting(program, fetch.greeting)
                                                            : read_http_header(program);
    }
    expected_bytes_ = sent.size_bytes;
    if (sent.packing == "plain") return;
    reader_ = make_unpacker(sent.packing, *wire_);
    if (reader_ == nullptr) fail("comes packed with '" + shortened(one_line(sent.packing), 40) + "', which is not known");
    budget_of_thread().expect_dense_packing();
    unpacked_ = std::make_unique<ReadAhead>(*reader_);
}

void RemoteSource::fail_unreached() const {
    const std::string why = wire_ == nullptr || wire_->error().empty() ? "nothing was sent" : wire_->error();
    throw Failure{{ErrorCode::io, "cannot be fetched: " + why}};
}

/// Reads the announcement of the file, which follows the greeting. Skips the output of login scripts before it.
SentFile RemoteSource::read_greeting(ProgramWire& wire, const std::string& greeting) {
    MarkedText text(greeting);
    std::optional<std::string> line;
    for (std::size_t before_bytes = 0; !line; line = text.take_line()) {
        const std::string_view piece = next_before_file(wire, before_bytes);
        if (piece.empty()) fail_unreached();
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
            most_bytes_ = limits::k_http_bytes;
            wire.put_back(std::string_view(before_file_).substr(answer->header_bytes));
            return {"plain", answer->body_bytes};
        }
        if (answer) {
            before_file_.erase(0, answer->header_bytes);
            continue;
        }
        const std::string_view piece = next_before_file(wire, before_bytes);
        if (piece.empty()) fail_unreached();
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
        if (!wire_->is_at_end()) fail_cut("was damaged on its way or before", read_bytes_);
        if (read_bytes_ == 0) fail_unreached();
        fail_cut("the connection broke off" + (wire_->error().empty() ? "" : ": " + wire_->error()), read_bytes_);
    }
    if (piece.empty() && read_bytes_ < expected_bytes_) fail_cut("the connection broke off", read_bytes_);
    read_bytes_ += piece.size();
    if (read_bytes_ > most_bytes_) fail_too_large();
    if (folder_ != nullptr) folder_->add_unpacked(piece.size());
    report_done(read_bytes_, expected_bytes_);
    return piece;
}

}  // namespace snapviewer
