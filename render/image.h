#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

/// 8-bit RGBA pixels, row 0 at the top.
struct Image {
    int width_px = 0;
    int height_px = 0;
    std::vector<std::uint8_t> rgba;
};

/// Writes an image as PNG. Replaces an existing file only after the whole image has been written.
Status write_png(const Image& image, const std::string& path);
Result<Image> read_png(const std::string& path);

/// Reads the lower left part of the bound framebuffer.
Image read_framebuffer(int width_px, int height_px);

}  // namespace snapviewer
