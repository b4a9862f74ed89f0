#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/trace/detail_source.h"

namespace snapviewer {

struct LookedUpDetails {
    std::shared_ptr<DetailSource> source;
    AllocationId id;
    Result<std::vector<DetailSection>> sections;
};

/// Asks the file about one allocation: milliseconds.
Job<LookedUpDetails>::Work make_details_job(std::shared_ptr<DetailSource> source, std::size_t device_index, AllocationId id);

}  // namespace snapviewer
