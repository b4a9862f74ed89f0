#pragma once

// Browsers' OpenGL (WebGL 2, which is OpenGL ES 3.0), under the name of the header that the program includes on other systems. Functions
// that only OpenGL 4.1 has are never called in a browser, because gl::is_embedded_driver() returns true.

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

// No-op, because a browser's functions need no loading.
inline int gladLoadGL(void (*(*)(const char*))()) { return 1; }
