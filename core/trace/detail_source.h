#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace snapviewer {

/// A titled list in the details of an allocation: facts (name and value) or lines (empty names), such as a stack.
struct DetailSection {
    std::string title;
    std::vector<std::pair<std::string, std::string>> rows;
};

/// What a file knows of an allocation beyond the columns of a trace, looked up when somebody asks for it: owning operations,
/// stacks, kernels. Safe to call from any one thread at a time; may take milliseconds.
class DetailSource {
public:
    virtual ~DetailSource() = default;
    virtual Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) = 0;
};

}  // namespace snapviewer
