#pragma once

#include <string>

namespace snapviewer {

struct KindRulesState {
    bool is_open = false;
    std::string text;   ///< as it is being edited
    std::string error;  ///< what is wrong with the text that was to be used last
    bool was_open = false;
};

}  // namespace snapviewer
