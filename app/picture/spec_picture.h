#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/features/notes/notes.h"
#include "app/features/preferences.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/session.h"
#include "core/base/context.h"
#include "core/base/result.h"
#include "core/document/document.h"

/// Draws the picture that a PictureSpec describes and writes it to the spec's `out`. Main thread. Fails in the same cases as
/// render_picture().
namespace snapviewer::picture {

/// Finds the icicle that a spec's picture names, or the first icicle if the document has nothing else to draw. nullopt means
/// the timeline.
Result<std::optional<std::size_t>> find_icicle(const Document& document, const std::string& picture);
Status draw_spec_icicle(const Document& document, std::size_t icicle, const save_picture::PictureSpec& spec);

/// Draws the device at this index and ignores `spec.device`. Includes the notes and the overlays that the preferences switch
/// on.
Status draw_spec(const Document& document, std::size_t device, const save_picture::PictureSpec& spec,
                 const Preferences& preferences, const std::vector<notes::Note>& notes, Progress& progress);

/// Draws the spec of shown_picture(), which describes the screen, in the middle of a frame of the window and with its OpenGL
/// context. For systems that have no second context, such as a page in a browser. `notes` are those of the open file.
Status draw_beside_window(const Session& session, const std::vector<notes::Note>& notes,
                          const save_picture::PictureSpec& spec);

}  // namespace snapviewer::picture
