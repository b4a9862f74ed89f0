#pragma once

#include <gtest/gtest.h>

#include <string>

#include "render/image.h"

namespace snapviewer::golden {

/// The two tolerances, in steps of 8-bit channels. A rasterizer of another version may round a colour differently; it may
/// not move an edge.
inline constexpr int k_largest_channel_difference = 12;
inline constexpr double k_largest_mean_difference = 0.25;

/// Compares with baselines/NAME.png. Where they differ, the worst pixels are named, and NAME.expected.png, NAME.actual.png
/// and NAME.difference.png (eight times amplified) lie side by side in the build folder. Once they were looked at,
/// `python3 tests/golden/accept.py NAME` makes the actual picture the baseline, also where there was none.
testing::AssertionResult matches_baseline(const Image& actual, const std::string& name);

}  // namespace snapviewer::golden
