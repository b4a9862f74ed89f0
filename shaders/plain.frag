in vec4 corner_colour;

layout(location = 0) out vec4 pixel;

void main() { pixel = corner_colour; }
