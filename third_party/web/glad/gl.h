#pragma once

// OpenGL as a browser has it (WebGL 2, which is OpenGL ES 3.0), under the header that the program includes elsewhere. What only OpenGL 4.1
// has is never called there: gl::is_embedded_driver() asks the driver.

#include <GLES3/gl3.h>

#define GL_TEXTURE_BUFFER 0x8C2A
#define GL_MAX_TEXTURE_BUFFER_SIZE 0x8C2B

#define GLAD_GL_VERSION_4_1 0

inline void glTexBuffer(GLenum, GLenum, GLuint) {}

inline void glMultiDrawArrays(GLenum mode, const GLint* first, const GLsizei* count, GLsizei runs) {
    for (GLsizei i = 0; i < runs; ++i) glDrawArrays(mode, first[i], count[i]);
}

inline void glDrawElementsBaseVertex(GLenum mode, GLsizei count, GLenum type, const void* indices, GLint) {
    glDrawElements(mode, count, type, indices);
}

// Its functions are there from the start.
inline int gladLoadGL(void (*(*)(const char*))()) { return 1; }
