#pragma once

#include "app/ui/fonts.h"
#include "app/ui/theme.h"

namespace snapviewer {

/// Puts the current ImGui context aside, with its look and its fonts, as long as it lives: another one can then draw a
/// picture, even between the beginning and the end of a frame of the first.
class ContextAside {
public:
    ContextAside();
    ~ContextAside();
    ContextAside(const ContextAside&) = delete;
    ContextAside& operator=(const ContextAside&) = delete;

private:
    ImGuiContext* context_;
    AppliedLook look_;
    FontsAside fonts_;
};

}  // namespace snapviewer
