#pragma once

#include <optional>

#include "app/features/requests.h"
#include "app/features/what_if/what_if_tasks.h"

namespace snapviewer {

/// Reserved memory over the events of a recording, as it was and as it would have been, and the size of the card where it is
/// known. A click asks for the moment under the mouse; gives the event then.
std::optional<std::uint32_t> draw_reserved_curves(const RepeatedRecording& recording, const AnsweredQuestion& answer,
                                                  Requests& requests);

}  // namespace snapviewer
