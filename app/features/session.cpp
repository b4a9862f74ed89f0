#include "app/features/session.h"

namespace snapviewer {

std::vector<const stacks::Icicle*> Session::icicles() const {
    std::vector<const stacks::Icicle*> all;
    if (!document) return all;
    for (const stacks::Icicle& each : document->icicles) all.push_back(&each);
    if (icicle.flame != nullptr) all.push_back(icicle.flame.get());
    return all;
}

void Session::pan(double views_x, double views_y) {
    if (const stacks::Icicle* shown = shown_icicle()) {
        reports::IcicleViewState& view = shown_icicle_view();
        const double rows = -views_y * view.rows_on_screen();
        view.window = reports::pan_icicle(*shown, view.window, views_x * view.window.width(), rows, view.rows_on_screen());
    } else if (current_timeline() != nullptr) {
        View& view = current_device().view;
        view = pan_view(view, views_x * view.width(), views_y * view.height(), current_limits());
    }
}

}  // namespace snapviewer
