#include "app/features/search/slow_search.h"

#include <optional>
#include <utility>

#include "app/features/emphasis.h"
#include "app/ui/sandboxed.h"

namespace snapviewer {

bool SlowSearch::is_asked(const Timeline* timeline) const {
    return timeline_ != nullptr && timeline == timeline_.get() && state_.search.as<TextSought>()->text == text_;
}

void SlowSearch::update() {
    const Timeline* timeline = state_.current_timeline();
    if (!state_.search.is_waiting || timeline == nullptr) {
        finding_.discard();
        timeline_.reset();
    } else if (!is_asked(timeline)) {
        timeline_ = state_.devices[state_.device_index].current().made.timeline;
        text_ = state_.search.as<TextSought>()->text;
        finding_.start([timeline = timeline_, terms = state_.search.terms](Progress&) {
            enter_sandbox_here({});
            return find_terms(*timeline, terms);
        });
    }
    std::optional<Emphasis> found = finding_.take();
    if (!found || timeline_ == nullptr) return;
    show_found(state_.search, *timeline_, *std::move(found));
    timeline_.reset();
}

}  // namespace snapviewer
