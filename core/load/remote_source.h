#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/read_ahead.h"
#include "core/load/remote_answer.h"
#include "core/load/remote_fetch.h"
#include "core/load/remote_wire.h"

namespace snapviewer {

/// The bytes of a file on another machine as they arrive, unpacked if they were packed for the transfer. If the connection
/// breaks off, throws a Failure with is_cut, and all earlier bytes are good. Reacts to a stop within 50 ms, and reports
/// progress.
class RemoteSource : public ByteSource {
public:
    /// Blocks until the remote machine begins to send. Throws Failure with the message of ssh, curl or the remote machine.
    RemoteSource(RemoteFetch fetch);
    ~RemoteSource() override;

    std::string_view next_piece() override;
    std::uint64_t expected_bytes() const { return expected_bytes_; }  ///< Size of the unpacked file in bytes; 0 if unknown

private:
    void begin(const RemoteFetch& fetch);
    SentFile read_greeting(ProgramWire& wire, const std::string& greeting);
    SentFile read_http_header(ProgramWire& wire);
    [[noreturn]] void fail_unreached() const;

    /// Bytes received before the file began, and the first bytes of the file, which wire_ refers to.
    std::string before_file_;
    std::unique_ptr<RemoteWire> wire_;
    std::unique_ptr<ByteReader> reader_;  ///< Unpacker; null if the bytes arrive unpacked
    std::unique_ptr<ReadAhead> unpacked_;
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t most_bytes_ = ~0ULL;  ///< Maximum number of bytes to read
    /// Folder over whose connection the file comes; null if the file has its own connection.
    std::shared_ptr<RemoteFolder> folder_ = nullptr;
};

}  // namespace snapviewer
