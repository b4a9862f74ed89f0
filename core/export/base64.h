#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace snapviewer {

/// Encodes bytes as base64 (RFC 4648) piece by piece, in a single line.
class Base64Writer {
public:
    using Output = std::function<bool(std::string_view)>;

    explicit Base64Writer(Output output) : output_(std::move(output)) {}
    /// Encodes more bytes. Returns false if `output` did.
    bool write(std::string_view bytes);
    /// Writes the remaining bytes and pads the last group with "=". Returns false if `output` did.
    bool end();
    std::uint64_t written_bytes() const { return written_bytes_; }

private:
    bool put_out();

    Output output_;
    std::string text_;
    std::string rest_;  ///< Bytes of an incomplete group: at most two between calls
    std::uint64_t written_bytes_ = 0;
};

}  // namespace snapviewer
