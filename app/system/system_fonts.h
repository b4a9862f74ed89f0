#pragma once

#include <functional>
#include <string>
#include <vector>

/// The fonts that this computer has. No GUI in here.
namespace snapviewer {

struct SystemFont {
    std::string path;
    int index = 0;     ///< within a file of several fonts
    std::string name;  ///< "Noto Sans CJK SC"
};

/// Outline fonts that together have as many of the characters as can be had, the most fitting for the user's language first.
/// Those that `can_draw` says no to are passed over. Empty where there are none. Takes some ten milliseconds the first time.
/// Main thread only.
std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& characters,
                                       const std::function<bool(const SystemFont&)>& can_draw);

}  // namespace snapviewer
