#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace snapviewer {

/// What of OpenGL the program holds, counted by asking the driver of each name whether it is one. For tests: a fraction of a
/// millisecond. Needs a context.
struct GlCensus {
    std::map<std::string, std::size_t> objects;  ///< "buffers", "textures", ...
    std::uint64_t errors = 0;                    ///< that OpenGL reported since the start, as far as nobody else took them
};
GlCensus take_gl_census();

}  // namespace snapviewer
