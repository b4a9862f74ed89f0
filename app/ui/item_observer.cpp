#include "app/ui/item_observer.h"

#include <imgui.h>

namespace snapviewer {
namespace {

ItemObserver* g_item_observer = nullptr;

}  // namespace

ItemObserver* item_observer() { return g_item_observer; }

void set_item_observer(ItemObserver* observer) { g_item_observer = observer; }

void observe_item(std::string_view name, float left, float top, float right, float bottom) {
    if (g_item_observer != nullptr) g_item_observer->item(name, left, top, right, bottom);
}

void observe_item(std::string_view name) {
    if (g_item_observer == nullptr || !ImGui::IsItemVisible()) return;
    // a popup has no final size in its first frame, and no final position in its second
    if (ImGui::IsWindowAppearing()) return;
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    g_item_observer->item(name, min.x, min.y, max.x, max.y);
}

}  // namespace snapviewer
