#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.h"
#include "core/trace/profile_data.h"

/// Sets of characters that texts contain, and the announcement that these characters will be displayed. Independent of
/// ImGui.
namespace snapviewer {

/// A set of characters beyond ASCII.
class CharacterSet {
public:
    /// Adds the characters of a UTF-8 text and skips invalid bytes. O(length).
    void add(std::string_view text);
    void add(char32_t character);
    bool contains(char32_t character) const;
    /// The characters in the order in which they were added.
    const std::vector<char32_t>& characters() const { return characters_; }

private:
    std::vector<bool> is_in_;  ///< Membership by character code; its size is the largest code so far plus 1.
    std::vector<char32_t> characters_;
};

/// The characters of all texts that a document can show: paths, frames, metadata, names of annotations and bars. O(bytes of
/// these texts).
CharacterSet characters_of(const Document& document);

/// Announces that this text is displayed from the next frame on, so that the fonts of the current ImGui context get glyphs
/// for its characters (fonts.h).
void need_characters(std::string_view text);
void need_characters(const CharacterSet& characters);
void need_character(char32_t character);  ///< Announces one character, which is beyond ASCII

/// Quotes a text as one word for a POSIX shell. Returns it unchanged if it contains no special characters.
std::string shell_word(const std::string& text);

/// Formats a measured value with its unit: "1.5 GiB", "203 MiB/s", "1,320 MHz", "12.3 ms".
std::string value_text(Unit unit, double value);

}  // namespace snapviewer
