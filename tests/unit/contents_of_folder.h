#pragma once

#include "tests/unit/scratch_database.h"

/// Compares the contents of a folder after files were written in it.
namespace snapviewer {

/// The contents of all files by name.
inline std::map<std::string, std::string> contents(const TestFolder& folder) {
    std::map<std::string, std::string> found;
    for (const auto& [name, state] : folder.state()) found[name] = state.first;
    return found;
}

using Files = std::map<std::string, std::string>;

inline void write_old(const TestFolder& folder) { std::ofstream(folder.file("out"), std::ios::binary) << "old"; }

}  // namespace snapviewer
