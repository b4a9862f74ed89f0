// Draws the pixels whose middle lies in the allocation; the triangle covers a little more. See mesh.vert.

uniform bool straight;
uniform uint highlighted;  // an allocation, or none

flat in uvec4 edge;
flat in uvec4 block;
flat in float tick_place;
flat in float end_column;
noperspective in float upper_row;

out vec4 colour;

void main() {
    bool is_top_row = upper_row - gl_FragCoord.y < 1.0;
    if (!straight) {
        if (gl_FragCoord.x > end_column) discard;
        uvec2 low = plus(edge.xy, lift_of(edge.zw, tick_place, middle_of_column(floor(gl_FragCoord.x))));
        uvec2 y = minus(height_of_row(uint(gl_FragCoord.y)), low);
        if (!less(y, block.xy)) discard;
        is_top_row = as_float(minus(block.xy, y)) < bytes_per_row();
    }
    colour = vec4(look(block.z, block.w == highlighted, is_top_row, as_float(block.xy) / bytes_per_row()), 1.0);
}
