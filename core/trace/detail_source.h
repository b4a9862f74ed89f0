#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace snapviewer {

/// A titled list in the details of an allocation. A row is a fact (name and value) or, with an empty name, a line of text
/// such as a stack frame.
struct DetailSection {
    std::string title;
    std::vector<std::pair<std::string, std::string>> rows;
};

/// Looks up on demand what a file contains about an allocation beyond the columns of a trace: owning operations, stacks,
/// kernels. A call may take milliseconds. Any thread may call it, but only one at a time.
class DetailSource {
public:
    virtual ~DetailSource() = default;
    virtual Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) = 0;
};

}  // namespace snapviewer
