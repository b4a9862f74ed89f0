#pragma once

#include <exception>
#include <string>

#include "core/load/byte_source.h"

namespace snapviewer {

/// A source whose beginning was looked at.
class PeekedSource : public ByteSource {
public:
    explicit PeekedSource(ByteSource& inner);

    /// The first bytes: at least k_enough where there are as many. Valid until next_piece.
    std::string_view front() const { return front_; }
    std::string_view next_piece() override;
    bool keeps_pieces() const override { return joined_.empty() && inner_.keeps_pieces(); }

    static constexpr std::size_t k_enough = 512;

private:
    ByteSource& inner_;
    std::string_view front_;
    std::string joined_;  ///< of pieces too short to judge by
    bool is_given_ = false;
    std::exception_ptr failure_;
};

}  // namespace snapviewer
