#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/read_ahead.h"
#include "core/load/remote_fetch.h"

namespace snapviewer {

/// The bytes of a file on another machine as they come, unpacked if they were packed for the way. Where the connection
/// breaks off, what came before is good, and the failure is_cut. Stops within 50 ms when `progress` asks, which is told how
/// far it is.
class RemoteSource : public ByteSource {
public:
    /// Waits until the other side begins to send. Throws ReadFailure with what ssh, curl or the other machine says.
    RemoteSource(RemoteFetch fetch, Progress& progress);
    ~RemoteSource() override;

    std::string_view next_piece() override;
    std::uint64_t expected_bytes() const { return expected_bytes_; }  ///< 0 where nobody can say

private:
    class Wire;

    void read_greeting();
    void read_http_header();
    void read_before_file();
    [[noreturn]] void fail_unreached() const;

    Progress& progress_;
    RemoteFetch fetch_;
    std::unique_ptr<Wire> wire_;
    std::string before_file_;             ///< read of the wire before the file's own bytes, and its first ones
    std::unique_ptr<ByteReader> reader_;  ///< null where the bytes come as they are
    std::unique_ptr<ReadAhead> unpacked_;
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
};

}  // namespace snapviewer
