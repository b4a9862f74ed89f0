#pragma once

#include <string>

namespace snapviewer {

struct KindRulesState {
    bool is_open = false;
    std::string text;   ///< the text in the editor
    std::string error;  ///< why the last text that the user tried to apply is invalid; empty if it is valid
    bool was_open = false;
};

}  // namespace snapviewer
