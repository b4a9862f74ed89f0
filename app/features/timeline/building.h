#pragma once

#include <cstddef>
#include <memory>

#include "core/base/job.h"
#include "core/document/document.h"

namespace snapviewer {

struct BuiltView {
    std::shared_ptr<const Document> document;
    std::size_t device_index = 0;
    ViewKind kind = ViewKind::allocations;
    Result<DeviceView> view;
};

/// Makes one more picture of a device.
Job<BuiltView>::Work make_building_job(std::shared_ptr<const Document> document, std::size_t device_index, ViewKind kind);

}  // namespace snapviewer
