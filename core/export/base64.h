#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace snapviewer {

/// Writes bytes as base64 (RFC 4648), piece by piece, in one line.
class Base64Writer {
public:
    using Output = std::function<bool(std::string_view)>;

    explicit Base64Writer(Output output) : output_(std::move(output)) {}
    /// False where `output` was.
    bool write(std::string_view bytes);
    /// What is left, with "=" for what is missing of three bytes.
    bool end();
    std::uint64_t written_bytes() const { return written_bytes_; }

private:
    bool put_out();

    Output output_;
    std::string text_;
    std::string rest_;  ///< fewer than three bytes
    std::uint64_t written_bytes_ = 0;
};

}  // namespace snapviewer
