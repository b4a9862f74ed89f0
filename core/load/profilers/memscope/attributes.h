#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer::memscope {

/// Iterates over the fields of an Attr column, a flat JSON object. Older versions of msMemScope write it without quotes, so
/// no JSON parser reads it. A nested object or list is returned as one value, unparsed. Does not copy: the text must outlive
/// this object.
class Attributes {
public:
    explicit Attributes(std::string_view text);

    /// Advances to the next field. False after the last field, or at the first syntax error.
    bool next();
    std::string_view key() const { return key_; }
    /// The value without its quotes; escape sequences are not decoded.
    std::string_view value() const { return value_; }

private:
    void skip_spaces();
    std::string_view quoted();
    std::string_view bare(std::string_view ends);

    std::string_view rest_;
    std::string_view key_;
    std::string_view value_;
};

/// Parses a whole number written as "512", "-512" or "512.0". nullopt for anything else.
std::optional<std::int64_t> number_of(std::string_view text);

}  // namespace snapviewer::memscope
