#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/result.h"
#include "render/framebuffer.h"

namespace snapviewer::golden {

Result<render::Image> read_png(const std::string& path);

/// The two tolerances, in units of 8-bit channel values. Another version of a rasterizer may round a colour differently, but
/// it must not move an edge.
inline constexpr int k_max_channel_difference = 12;
inline constexpr double k_max_mean_difference = 0.25;

/// Compares with baselines/NAME.png. On a difference, the message lists the worst pixels, and NAME.expected.png,
/// NAME.actual.png and NAME.difference.png (amplified eight times) are written to the build folder. After checking them,
/// make the actual picture the baseline with `python3 tests/golden/accept.py NAME`; this also adds a missing baseline.
testing::AssertionResult matches_baseline(const render::Image& actual, const std::string& name);

}  // namespace snapviewer::golden
