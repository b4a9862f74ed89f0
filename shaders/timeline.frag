#version 410 core
// One flat colour an allocation, with stripes where it is hatched; where it is tall enough, the topmost pixel is darker to set
// it off from its neighbour.

noperspective in float upper_px;
flat in vec4 fill;
flat in float stripe;  // how bright every second stripe is

out vec4 colour;

void main() {
    float shade = upper_px - gl_FragCoord.y < 1.0 ? fill.w : 1.0;
    if (mod(gl_FragCoord.x + gl_FragCoord.y, 8.0) >= 4.0) shade *= stripe;
    colour = vec4(fill.rgb * shade, 1.0);
}
