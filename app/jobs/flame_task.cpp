#include "app/jobs/flame_task.h"

#include <utility>

#include "app/jobs/sandboxed.h"
#include "core/analysis/analyses.h"

namespace snapviewer {

Job<MadeFlame>::Work making_flame(std::shared_ptr<const Document> document, std::size_t device_index, FlameMoment moment) {
    return [document = std::move(document), device_index, moment](Progress& progress) {
        enter_sandbox_here({});
        MadeFlame made{document, device_index, moment, nullptr};
        DeviceAnalyses& device = document->analyses->device(device_index);
        const auto lines = device.stack_lines(&progress);
        if (!lines) return made;
        auto graph = make_flame_graph(device.timeline(), **lines, moment, &progress);
        if (graph) made.graph = std::make_shared<const Icicle>(std::move(*graph));
        return made;
    };
}

}  // namespace snapviewer
