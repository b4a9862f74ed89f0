#pragma once

#include <cstddef>

#include "app/picture/picture.h"

namespace snapviewer {

/// Draws an icicle of a document with its axis and a caption, as the window does, and writes it as a PNG. Uses the x range
/// of `options.view`, in the icicle's unit. Needs no display. Main thread only. Fails in the same cases as render_picture().
Status render_icicle(const Document& document, std::size_t icicle_index, const RenderOptions& options);

}  // namespace snapviewer
