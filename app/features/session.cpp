#include "app/features/session.h"

#include <utility>

namespace snapviewer {

Session::Session(Preferences of_user) : preferences(std::move(of_user)) {}

Session::~Session() = default;

std::vector<const stacks::Icicle*> Session::icicles() const {
    std::vector<const stacks::Icicle*> all;
    if (!document) return all;
    for (const stacks::Icicle& each : document->icicles) all.push_back(&each);
    if (icicle.flame != nullptr) all.push_back(icicle.flame.get());
    return all;
}

}  // namespace snapviewer
