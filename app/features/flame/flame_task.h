#pragma once

#include <memory>
#include <string>

#include "core/analysis/flame_graph.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

/// A flame graph that was asked for. Immutable.
struct MadeFlame {
    FlameMoment moment;
    std::shared_ptr<const Icicle> graph;
};
using FlameOutcome = Result<MadeFlame>;

/// Tenths of a second, where the stacks of a large file were not read yet; else milliseconds. Fails where it was stopped, or
/// memory does not suffice.
Job<FlameOutcome>::Work make_flame_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                       FlameMoment moment);

/// The stacks of a flame graph as folded text.
struct WrittenFolded {
    std::string path;
    Status status;
    std::string text;  ///< where there is no path
};
Job<WrittenFolded>::Work make_folded_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                         FlameMoment moment, std::string path);

}  // namespace snapviewer
