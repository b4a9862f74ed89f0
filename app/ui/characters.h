#pragma once

#include <string_view>
#include <vector>

#include "core/document/document.h"

/// Which characters texts are made of. No GUI in here.
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

}  // namespace snapviewer
