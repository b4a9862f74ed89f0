#include "app/features/details/looking_up.h"

#include <utility>

#include "app/features/timeline/allocation_text.h"
#include "app/ui/sandboxed.h"

namespace snapviewer {

Job<LookedUpDetails>::Work make_details_job(std::shared_ptr<DetailSource> source, std::size_t device_index,
                                            AllocationId id) {
    return [source = std::move(source), device_index, id](Progress&) {
        enter_sandbox_here({});
        Result<std::vector<DetailSection>> sections = source->details(device_index, id);
        if (sections) sections = within_budget(*std::move(sections));
        return LookedUpDetails{source, id, std::move(sections)};
    };
}

}  // namespace snapviewer
