#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/hits.h"

namespace snapviewer {

/// Ticks at the upper edge of the picture, wherever a hit begins that is too small to be seen.
void draw_hit_marks(ImDrawList* list, HitMarks& marks, const std::shared_ptr<const Hits>& hits, const Timeline& timeline,
                    Axis axis, const Projection& projection);

/// Points at an allocation, as far as it is in view, with a few words.
void draw_hit_pointer(ImDrawList* list, const Projection& projection, const Outline& outline, const std::string& words);

}  // namespace snapviewer
