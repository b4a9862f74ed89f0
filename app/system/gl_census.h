#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace snapviewer {

/// Numbers of OpenGL objects in the current context, counted by asking the driver for every name whether it exists. For
/// tests; takes a fraction of a millisecond.
struct GlCensus {
    std::map<std::string, std::size_t> objects;  ///< counts by kind: "buffers", "textures", ...
    /// Number of errors that OpenGL has reported since the start and that no other code has fetched.
    std::uint64_t errors = 0;
};
GlCensus take_gl_census();

}  // namespace snapviewer
