#include "core/system/find_text.h"

#include <vector>

namespace snapviewer {

/// The Knuth-Morris-Pratt algorithm, because Windows has no memmem().
std::size_t find_text(std::string_view text, std::string_view wanted) {
    if (wanted.empty()) return 0;
    // The failure table: for each prefix of `wanted`, the length of its longest proper suffix that is also a prefix.
    std::vector<std::size_t> border(wanted.size(), 0);
    for (std::size_t i = 1, matched = 0; i < wanted.size(); ++i) {
        while (matched > 0 && wanted[i] != wanted[matched]) matched = border[matched - 1];
        if (wanted[i] == wanted[matched]) ++matched;
        border[i] = matched;
    }
    for (std::size_t i = 0, matched = 0; i < text.size(); ++i) {
        while (matched > 0 && text[i] != wanted[matched]) matched = border[matched - 1];
        if (text[i] == wanted[matched]) ++matched;
        if (matched == wanted.size()) return i + 1 - matched;
    }
    return std::string_view::npos;
}

}  // namespace snapviewer
