#include "render/gl/vertex_array.h"

#include <glad/gl.h>

namespace snapviewer::gl {

VertexArray::VertexArray() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    name_ = VertexArrayName(name);
}

void VertexArray::bind() const { glBindVertexArray(name_.get()); }

}  // namespace snapviewer::gl
