#pragma once

#include <exception>
#include <string>

#include "core/load/byte_source.h"

namespace snapviewer {

/// A byte source with look-ahead: its first bytes can be examined before they are read.
class PeekedSource : public ByteSource {
public:
    explicit PeekedSource(ByteSource& inner);

    /// Returns the first bytes, at least k_enough unless the source is shorter. Valid until the next call of next_piece().
    std::string_view front() const { return front_; }
    std::string_view next_piece() override;
    bool keeps_pieces() const override { return joined_.empty() && inner_.keeps_pieces(); }

    static constexpr std::size_t k_enough = 512;

private:
    ByteSource& inner_;
    std::string_view front_;
    std::string joined_;  ///< Copy of the first pieces, if the first one alone is shorter than k_enough
    bool is_given_ = false;
    std::exception_ptr failure_;
};

}  // namespace snapviewer
