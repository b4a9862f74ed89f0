#pragma once

#include <memory>

#include "core/analysis/flame_graph.h"
#include "core/base/job.h"
#include "core/document/document.h"

namespace snapviewer {

/// A flame graph that was asked for. Immutable.
struct MadeFlame {
    std::shared_ptr<const Document> document;
    std::size_t device_index = 0;
    FlameMoment moment;
    std::shared_ptr<const Icicle> graph;  ///< null when it was stopped
};

/// Tenths of a second, where the stacks of a large file were not read yet; else milliseconds.
Job<MadeFlame>::Work making_flame(std::shared_ptr<const Document> document, std::size_t device_index, FlameMoment moment);

}  // namespace snapviewer
