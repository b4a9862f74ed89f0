#pragma once

#include <string_view>
#include <vector>

#include "core/document/document.h"

/// Which characters texts are made of, and that they are going to be shown. No GUI in here.
namespace snapviewer {

/// Characters beyond ASCII, each once.
class CharacterSet {
public:
    /// Adds those of a UTF-8 text; bytes that are none are passed over. O(length).
    void add(std::string_view text);
    void add(char32_t character);
    bool contains(char32_t character) const;
    /// In the order in which they were added.
    const std::vector<char32_t>& characters() const { return characters_; }

private:
    std::vector<bool> is_in_;  ///< by character, as far as the largest
    std::vector<char32_t> characters_;
};

/// Those of all that a document can show: paths, frames, metadata, names of annotations and bars. O(bytes of its texts).
CharacterSet characters_of(const Document& document);

/// Says that such text is shown from the next frame on. The fonts of the current ImGui context see to it (fonts.h).
void need_characters(std::string_view text);
void need_characters(const CharacterSet& characters);
void need_character(char32_t character);  ///< beyond ASCII

}  // namespace snapviewer
