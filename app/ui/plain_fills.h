#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "render/plain_triangles.h"

namespace snapviewer {

/// Fills large areas of one colour, such as backgrounds of panels, without a texture if a software rasterizer draws, which
/// is faster. Main thread. Needs the OpenGL context that was current at its construction, also in its destructor.
class PlainFills {
public:
    PlainFills();
    PlainFills(const PlainFills&) = delete;
    PlainFills& operator=(const PlainFills&) = delete;

    /// Replaces commands of the frame with faster ones that give the same pixels. Call it before the frame is drawn. The
    /// frame refers to this object until it is drawn.
    void use_in(ImDrawData& frame);

private:
    enum class Kind : std::uint8_t { textured, see_through, opaque };

    void split(const ImDrawList& list, const ImDrawCmd& command);
    void add(const ImDrawCmd& command, unsigned begin, unsigned end, Kind kind);
    Kind kind_of(const ImDrawList& list, const ImDrawCmd& command, unsigned at) const;
    template <Kind kind>
    static void fill(const ImDrawList* list, const ImDrawCmd* command);

    std::optional<PlainTriangles> triangles_;  ///< nullopt with a graphics card, or if the driver refuses
    const ImDrawData* frame_ = nullptr;
    std::vector<ImDrawCmd> commands_;  ///< commands of the current list; a member only to reuse its memory
};

}  // namespace snapviewer
