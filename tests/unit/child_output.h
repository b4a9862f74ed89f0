#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "core/system/processes.h"

namespace snapviewer {

/// Reads a program's standard output and standard error until both are closed.
inline std::pair<std::string, std::string> output_of(ChildProgram& program) {
    constexpr std::chrono::milliseconds k_while{50};
    std::pair<std::string, std::string> texts;
    std::array<char, 256> room{};
    for (int ended = 0; ended < 2;) {
        const auto piece = program.read(room, k_while);
        if (!piece) continue;
        if (piece->size_bytes == 0) ++ended;
        const bool is_output = piece->stream == ChildProgram::Stream::output;
        (is_output ? texts.first : texts.second).append(room.data(), piece->size_bytes);
    }
    EXPECT_FALSE(program.read(room, k_while)) << "both have ended";
    return texts;
}

}  // namespace snapviewer
