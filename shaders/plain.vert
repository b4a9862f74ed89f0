// Triangles whose corners have a colour each and no texture, as Dear ImGui lays them out.

layout(location = 0) in vec2 place;   // in the window, downwards
layout(location = 2) in vec4 colour;

uniform vec2 scale;                   // from the window's places to those of OpenGL
uniform vec2 offset;

out vec4 corner_colour;

void main() {
    corner_colour = colour;
    gl_Position = vec4(place * scale + offset, 0, 1);
}
