#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer::memscope {

/// The fields of an Attr column, one after another: a flat JSON object, whose quotes older versions left out. What is
/// nested comes as one value, as it stands. Reads in place; the text must outlive it.
class Attributes {
public:
    explicit Attributes(std::string_view text);

    /// Advances to the next field; false after the last one, or where the text stops making sense.
    bool next();
    std::string_view key() const { return key_; }
    /// Without its quotes; escapes as they stand.
    std::string_view value() const { return value_; }

private:
    void skip_spaces();
    std::string_view quoted();
    std::string_view bare(std::string_view ends);

    std::string_view rest_;
    std::string_view key_;
    std::string_view value_;
};

/// A whole number, however it is written: "512", "-512", "512.0". nullopt for anything else.
std::optional<std::int64_t> number_of(std::string_view text);

}  // namespace snapviewer::memscope
