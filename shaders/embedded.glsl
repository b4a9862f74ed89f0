#version 300 es
// The version of OpenGL ES 3.0 and WebGL 2, and replacements for features of GLSL 4.10 that it lacks.

precision highp float;
precision highp int;
precision highp usampler2D;

#define precise
#define noperspective  // all vertices have the same depth

void umulExtended(uint a, uint b, out uint high, out uint low) {
    uint a_low = a & 0xFFFFu, a_high = a >> 16;
    uint b_low = b & 0xFFFFu, b_high = b >> 16;
    uint middle = a_high * b_low + (a_low * b_low >> 16);
    uint other = a_low * b_high + (middle & 0xFFFFu);
    low = a * b;
    high = a_high * b_high + (middle >> 16) + (other >> 16);
}

vec4 unpackUnorm4x8(uint word) {
    return vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24) / 255.0;
}
