#include "app/ui/context_aside.h"

#include <imgui.h>

#include <utility>

namespace snapviewer {

ContextAside::ContextAside() : context_(ImGui::GetCurrentContext()), look_(applied_look()), fonts_(exchange_fonts(nullptr)) {
    ImGui::SetCurrentContext(nullptr);
}

ContextAside::~ContextAside() {
    ImGui::SetCurrentContext(context_);
    applied_look() = look_;
    (void)exchange_fonts(std::move(fonts_));
}

}  // namespace snapviewer
