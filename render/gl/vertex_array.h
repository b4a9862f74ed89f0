#pragma once

#include "render/gl/name.h"

namespace snapviewer::gl {

/// A vertex array without attributes: core profiles draw nothing unless one is bound.
class VertexArray {
public:
    VertexArray();
    void bind() const;

private:
    VertexArrayName name_;
};

}  // namespace snapviewer::gl
