#include "app/features/timeline/building.h"

#include <utility>

#include "app/ui/sandboxed.h"

namespace snapviewer {

Job<BuiltView>::Work make_building_job(std::shared_ptr<const Document> document, std::size_t device_index, ViewKind kind) {
    return [document = std::move(document), device_index, kind](Progress& progress) {
        enter_sandbox_here({});
        return BuiltView{document, device_index, kind, build_view(*document, device_index, kind, progress)};
    };
}

}  // namespace snapviewer
