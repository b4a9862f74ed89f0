#include "app/ui/item_observer.h"

#include <imgui.h>

#include <utility>

#include "core/base/output_file.h"

namespace snapviewer {
namespace {

constexpr auto k_min_interval = std::chrono::milliseconds(20);

struct Registry {
    bool enabled = false;
    std::map<std::string, std::array<float, 4>> rects;
};

Registry& registry() {
    static Registry instance;
    return instance;
}

}  // namespace

void observe_item(std::string_view name, float left, float top, float right, float bottom) {
    if (registry().enabled) registry().rects[std::string(name)] = {left, top, right, bottom};
}

void observe_item(std::string_view name) {
    if (!registry().enabled || !ImGui::IsItemVisible()) return;
    // a popup has no final size in its first frame, and no final position in its second
    if (ImGui::IsWindowAppearing()) return;
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    observe_item(name, min.x, min.y, max.x, max.y);
}

const std::map<std::string, std::array<float, 4>>& observed_items() { return registry().rects; }

StateReport::StateReport(std::string path) : path_(std::move(path)) { registry().enabled = enabled(); }

void StateReport::begin_frame() {
    if (enabled()) registry().rects.clear();
}

bool StateReport::due() const { return enabled() && std::chrono::steady_clock::now() - last_write_ >= k_min_interval; }

void StateReport::update(const std::string& json) {
    behind_ = false;
    if (json == written_) return;
    Result<OutputFile> file = OutputFile::create(path_);
    if (!file) return;
    file->write(json + '\n');
    if (!file->commit(OutputFile::Durability::unsynced)) return;
    written_ = json;
    last_write_ = std::chrono::steady_clock::now();
}

}  // namespace snapviewer
