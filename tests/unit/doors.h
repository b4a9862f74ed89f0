#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"

namespace snapviewer::test {

/// An entry point of core together with a small input. Entering it returns the same text each time, or an error.
struct Door {
    std::string name;
    std::function<Result<std::string>(Progress& progress)> enter;
    bool is_c_interface = false;  ///< an entry point of the C interface, which has its own Progress
    /// Creates JSON values, whose destructors allocate memory, so that the program ends if it has none.
    bool makes_json = false;
};

/// All entry points, with each kind of file that has its own reader. They share temporary files, which live until the
/// program ends.
const std::vector<Door>& doors();

}  // namespace snapviewer::test
