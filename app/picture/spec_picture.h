#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/notes/notes.h"
#include "app/features/preferences.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/document/document.h"

/// Draws what was asked for by a PictureSpec, into its `out`. Main thread; fails as render_picture().
namespace snapviewer {

/// An icicle of the document by the name that a spec has for its picture, or the first one where there is nothing else to
/// draw; none for the timeline.
Result<std::optional<std::size_t>> find_icicle(const Document& document, const std::string& picture);
Status draw_spec_icicle(const Document& document, std::size_t icicle, const PictureSpec& spec);

/// Of the device at this index; `spec.device` is not looked at. With the notes, and what the preferences switch on.
Status draw_spec(const Document& document, std::size_t device, const PictureSpec& spec, const Preferences& preferences,
                 const std::vector<Note>& notes, Progress& progress);

/// What is on the screen, as the spec of shown_picture() has it, in the middle of a frame of the window and with its OpenGL
/// context: where the system has no other, as a page.
Status draw_beside_window(const AppState& state, const PictureSpec& spec);

}  // namespace snapviewer
