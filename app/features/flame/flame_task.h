#pragma once

#include <memory>
#include <string>

#include "core/analysis/stacks/flame_graph.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

/// A finished flame graph. Immutable.
struct MadeFlame {
    FlameMoment moment;
    std::shared_ptr<const Icicle> graph;
};
using FlameOutcome = Result<MadeFlame>;

/// The work that builds a flame graph. Takes milliseconds, or tenths of a second if the stacks of a large file have not been
/// read yet. Fails if it is stopped or memory runs out.
Job<FlameOutcome>::Work make_flame_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                       FlameMoment moment);

/// The stacks of a flame graph as folded text.
struct WrittenFolded {
    std::string path;
    Status status;
    std::string text;  ///< the folded text, if `path` is empty
};
Job<WrittenFolded>::Work make_folded_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                         FlameMoment moment, std::string path);

}  // namespace snapviewer
