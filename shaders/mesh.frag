// Colours the triangles of mesh.vert.

uniform uint highlighted;  // id of an allocation, or none

flat in uvec4 block;
noperspective in float upper_row;

out vec4 colour;

void main() {
    bool is_top_row = upper_row - gl_FragCoord.y < 1.0;
    colour = vec4(look(block.z, block.w == highlighted, is_top_row, as_float(block.xy) / bytes_per_row()), 1.0);
}
