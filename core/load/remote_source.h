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

/// The bytes of a file on another machine as they come, unpacked if they were packed for the way. Where the connection
/// breaks off, what came before is good, and the failure is_cut. Stops within 50 ms if the work is to stop, and reports how
/// far it is.
class RemoteSource : public ByteSource {
public:
    /// Waits until the other side begins to send. Throws Failure with what ssh, curl or the other machine says.
    RemoteSource(RemoteFetch fetch);
    ~RemoteSource() override;

    std::string_view next_piece() override;
    std::uint64_t expected_bytes() const { return expected_bytes_; }  ///< 0 where nobody can say

private:
    void begin(const RemoteFetch& fetch);
    SentFile read_greeting(ProgramWire& wire, const std::string& greeting);
    SentFile read_http_header(ProgramWire& wire);
    [[noreturn]] void fail_unreached() const;

    std::string before_file_;  ///< read of the wire before the file's own bytes, and its first ones
    std::unique_ptr<RemoteWire> wire_;
    std::unique_ptr<ByteReader> reader_;  ///< null where the bytes come as they are
    std::unique_ptr<ReadAhead> unpacked_;
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t most_bytes_ = ~0ULL;                ///< that may be read
    std::shared_ptr<RemoteFolder> folder_ = nullptr;  ///< that it lies in; null where it comes alone
};

}  // namespace snapviewer
