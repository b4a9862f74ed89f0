#pragma once

#include <cstddef>

#include "app/picture/picture.h"

namespace snapviewer {

/// Draws one of a document's icicles with its axis and a caption, as the window would, and writes it as a PNG; the x range
/// of `options.view` counts, in the icicle's unit. Needs no display. Main thread only. Fails as render_picture.
Status render_icicle(const Document& document, std::size_t icicle_index, const RenderOptions& options);

}  // namespace snapviewer
