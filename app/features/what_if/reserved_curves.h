#pragma once

#include <optional>

#include "app/features/requests.h"
#include "app/features/what_if/what_if_tasks.h"

namespace snapviewer {

/// Draws reserved memory over the events, as recorded and as replayed, and the capacity of the GPU if it is known. Returns
/// the event under the mouse if the user clicked there.
std::optional<std::uint32_t> draw_reserved_curves(const RepeatedRecording& recording, const AnsweredQuestion& answer,
                                                  Requests& requests);

}  // namespace snapviewer
