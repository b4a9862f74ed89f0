#version 410 core
// One flat colour an allocation; where it is tall enough, the topmost pixel is darker to set it off from its neighbour.

noperspective in float upper_px;
flat in vec4 fill;

out vec4 colour;

void main() {
    float shade = upper_px - gl_FragCoord.y < 1.0 ? fill.w : 1.0;
    colour = vec4(fill.rgb * shade, 1.0);
}
