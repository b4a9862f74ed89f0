#pragma once

#include "render/gl/name.h"

namespace snapviewer::gl {

/// A vertex array without attributes, because core profiles draw only if a vertex array is bound.
class VertexArray {
public:
    VertexArray();
    void bind() const;

private:
    VertexArrayName name_;
};

}  // namespace snapviewer::gl
