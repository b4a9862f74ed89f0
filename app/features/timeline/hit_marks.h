#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// Draws ticks at the top of the picture where search hits begin that are too small to be visible.
void draw_hit_marks(ImDrawList* list, HitMarks& marks, const std::shared_ptr<const Hits>& hits, const Timeline& timeline,
                    Axis axis, const Projection& projection);

/// Draws a pointer with a few words at the visible part of an allocation.
void draw_hit_pointer(ImDrawList* list, const Projection& projection, const Outline& outline, const std::string& words);

}  // namespace snapviewer
