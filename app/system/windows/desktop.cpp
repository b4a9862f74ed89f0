#include "app/system/desktop.h"

#include <windows.h>

#include <chrono>
#include <utility>

namespace snapviewer {
namespace {

constexpr auto k_between_looks = std::chrono::seconds(1);

/// The theme that the user chose for programs under Settings > Personalization > Colors.
std::optional<mesh::ThemeVariant> chosen_ground() {
    DWORD is_light = 0;
    DWORD size = sizeof is_light;
    const LSTATUS status =
        ::RegGetValueW(HKEY_CURRENT_USER, L"Software\\Microsoft\\Windows\\CurrentVersion\\Themes\\Personalize",
                       L"AppsUseLightTheme", RRF_RT_REG_DWORD, nullptr, &is_light, &size);
    if (status != ERROR_SUCCESS) return std::nullopt;
    return is_light != 0 ? mesh::ThemeVariant::light : mesh::ThemeVariant::dark;
}

}  // namespace

class Desktop::Sources {
public:
    std::chrono::steady_clock::time_point looked_at = std::chrono::steady_clock::now();
};

Desktop::Desktop(float /*content_scale*/) : sources_(std::make_unique<Sources>()) { preferences_.ground = chosen_ground(); }

Desktop::~Desktop() = default;

bool Desktop::update() {
    const auto now = std::chrono::steady_clock::now();
    if (now - sources_->looked_at < k_between_looks) return false;
    sources_->looked_at = now;
    return std::exchange(preferences_.ground, chosen_ground()) != preferences_.ground;
}

/// Always 1, because GLFW reports the current scale of the window's monitor.
float Desktop::growth() const { return 1; }

bool Desktop::is_ctrl_held() const { return ::GetAsyncKeyState(VK_CONTROL) < 0; }

}  // namespace snapviewer
