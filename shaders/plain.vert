// Triangles with a colour per corner and no texture, in the vertex format of Dear ImGui.

layout(location = 0) in vec2 place;   // position in the window; y points down
layout(location = 2) in vec4 colour;

uniform vec2 scale;                   // maps coordinates of the window to those of OpenGL
uniform vec2 offset;

out vec4 corner_colour;

void main() {
    corner_colour = colour;
    gl_Position = vec4(place * scale + offset, 0, 1);
}
