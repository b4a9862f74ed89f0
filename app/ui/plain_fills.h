#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "render/plain_triangles.h"

namespace snapviewer {

/// Has the large areas of one colour in a frame, such as the grounds of panels, filled without a texture where a software
/// rasterizer draws. Main thread; needs the OpenGL context that was current at its construction, also at its end.
class PlainFills {
public:
    PlainFills();
    PlainFills(const PlainFills&) = delete;
    PlainFills& operator=(const PlainFills&) = delete;

    /// Before the frame is drawn. Changes its commands, and refers to this until it is drawn; the pixels are the same.
    void use_in(ImDrawData& frame);

private:
    enum class Kind : std::uint8_t { textured, see_through, opaque };

    void split(const ImDrawList& list, const ImDrawCmd& command);
    void add(const ImDrawCmd& command, unsigned begin, unsigned end, Kind kind);
    Kind kind_of(const ImDrawList& list, const ImDrawCmd& command, unsigned at) const;
    template <Kind kind>
    static void fill(const ImDrawList* list, const ImDrawCmd* command);

    std::optional<PlainTriangles> triangles_;  ///< none where it is not worth it, or the driver refuses
    const ImDrawData* frame_ = nullptr;
    std::vector<ImDrawCmd> commands_;  ///< of the list at hand
};

}  // namespace snapviewer
