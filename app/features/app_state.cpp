#include "app/features/app_state.h"

#include <utility>

namespace snapviewer {

AppState::AppState(Preferences of_user) : preferences(std::move(of_user)) {}

AppState::~AppState() = default;

std::vector<const stacks::Icicle*> AppState::icicles() const {
    std::vector<const stacks::Icicle*> all;
    if (!document) return all;
    for (const stacks::Icicle& each : document->icicles) all.push_back(&each);
    if (flame.graph != nullptr) all.push_back(flame.graph.get());
    return all;
}

}  // namespace snapviewer
