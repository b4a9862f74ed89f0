#include "core/load/standard_input_source.h"

#include <atomic>
#include <chrono>

#include "core/load/failure.h"
#include "core/system/console.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_input_piece_bytes = 1 << 18;

std::atomic<bool> g_was_taken{false};

}  // namespace

Status StandardInputSource::take() {
    if (is_input_terminal())
        return Error{
            ErrorCode::io,
            "is a terminal; expected a file or what another program writes, as in: zstdcat FILE | snapviewer info -"};
    if (g_was_taken.exchange(true))
        return Error{ErrorCode::io, "can be read only once; write it to a file to open it again"};
    return {};
}

StandardInputSource::StandardInputSource() : expected_bytes_(size_of_input_bytes()), room_(k_input_piece_bytes) {}

std::string_view StandardInputSource::next_piece() {
    report_done(read_bytes_, expected_bytes_);
    while (true) {
        check_stop();
        need_ok(budget_of_thread().check_memory());
        std::error_code failed;
        const std::optional<std::size_t> size = read_input(room_, k_look_for_stop, failed);
        if (failed) need_ok(Error{ErrorCode::io, "cannot be read: " + failed.message()});
        if (!size) continue;
        budget_of_thread().add_file(*size);
        read_bytes_ += *size;
        return {room_.data(), *size};
    }
}

}  // namespace snapviewer
