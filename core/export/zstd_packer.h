#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"

struct ZSTD_CCtx_s;

namespace snapviewer {

/// Packs bytes with Zstandard as they come; `zstd -d` gives the same ones again.
class ZstdPacker {
public:
    /// Takes what was packed; false ends the packing with an error.
    using Output = std::function<bool(std::string_view packed)>;

    /// On as many threads of its own; 0 packs in the caller's.
    ZstdPacker(int level, unsigned threads);

    /// `size_bytes` is that of all there is to come, where it is known; only the first piece's is looked at.
    Status take(std::string_view piece, std::optional<std::uint64_t> size_bytes, const Output& output);
    Status end(const Output& output);

    std::uint64_t taken_bytes() const { return taken_bytes_; }

private:
    Status pack(std::string_view piece, bool is_end, const Output& output);

    std::unique_ptr<ZSTD_CCtx_s, void (*)(ZSTD_CCtx_s*)> context_;
    std::vector<char> room_;
    std::uint64_t taken_bytes_ = 0;
};

}  // namespace snapviewer
