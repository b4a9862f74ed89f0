#include "app/ui/toasts.h"

#include <algorithm>
#include <utility>

namespace snapviewer {
namespace {

using Seconds = std::chrono::duration<float>;

constexpr Seconds k_shown_for{4};
constexpr Seconds k_fades_for{0.4F};
constexpr std::size_t k_max_toasts = 3;

}  // namespace

void Toasts::say(std::string text, Clock::time_point now) {
    std::erase_if(shown_, [&](const Toast& toast) { return toast.text == text; });
    if (shown_.size() == k_max_toasts) shown_.erase(shown_.begin());
    shown_.push_back({std::move(text), now});
}

void Toasts::update(Clock::time_point now) {
    std::erase_if(shown_, [&](const Toast& toast) { return opacity(toast, now) == 0; });
}

bool Toasts::is_fading(Clock::time_point now) const {
    return std::ranges::any_of(shown_, [&](const Toast& toast) { return opacity(toast, now) < 1; });
}

float Toasts::opacity(const Toast& toast, Clock::time_point now) {
    const Seconds fading = Seconds(now - toast.said) - k_shown_for;
    return std::clamp(1 - fading / k_fades_for, 0.0F, 1.0F);
}

}  // namespace snapviewer
