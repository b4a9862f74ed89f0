#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer::test {

/// An entry point of core, on a small file. Entering it returns a text that is the same each time, or the error.
struct Door {
    std::string name;
    std::function<Result<std::string>(Progress& progress)> enter;
    bool is_c_interface = false;  ///< it has a Progress of its own
    /// Makes JSON values, whose destructors take memory: the program ends if there is none.
    bool makes_json = false;
};

/// Every entry point, with each kind of file that is read in a way of its own. They share temporary files, which live until
/// the program ends.
const std::vector<Door>& doors();

}  // namespace snapviewer::test
