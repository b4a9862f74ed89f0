// Draws a mesh as core/mesh/mesh.h describes it: triangle strips, four vertices a record, everything fetched by index.

uniform table_t records;     // place and flags, lower edge in bytes (low word)
uniform table_t high_words;  // the high words of those lower edges
uniform table_t groups;      // per k_group_records records: first tick, first piece
uniform table_t pieces;      // allocation
uniform table_t sizes;       // per allocation, bytes
uniform table_t ticks;       // place of each tick on the axis

uniform bool has_high_words;        // all of them are 0 otherwise, and not stored
uniform uint piece_bits;            // low bits of a place that number the piece; the tick is above them
uniform vec2 size_px;               // of the viewport

flat out uvec4 block;               // size, colour, allocation
noperspective out float upper_row;  // the upper edge here, in rows from below

uvec2 low_of(int index) {
    return uvec2(fetch_table(records, index).y, has_high_words ? fetch_table(high_words, index).x : 0u);
}

float row_of(uvec2 height) {
    return (difference(height, first_row) - first_row_rest) / bytes_per_row() + 0.5;
}

void main() {
    int index = gl_VertexID / int(k_record_vertices);
    int corner = gl_VertexID % int(k_record_vertices);
    uint place = fetch_table(records, index).x;
    uvec2 group = fetch_table(groups, index / int(k_group_records)).xy;
    uint allocation = fetch_table(pieces, int(group.y + (place & ((1u << piece_bits) - 1u)))).x;
    uint tick = group.x + ((place & ((1u << k_record_place_bits) - 1u)) >> piece_bits);
    uvec2 size = fetch_table(sizes, int(allocation)).xy;
    uvec2 low = low_of(index);

    // Start and end repeat a corner, so that the strip leaps to the next piece without drawing anything.
    bool upper = (corner & 1) == 1;
    if ((place & k_record_start) != 0u) upper = corner == 3;
    if ((place & k_record_end) != 0u) upper = corner != 0;
    upper_row = row_of(plus(low, size));
    float x = (difference(fetch_table(ticks, int(tick)).xy, origin) - first_edge) / column_width;
    gl_Position = vec4(vec2(x, upper ? upper_row : row_of(low)) / size_px * 2.0 - 1.0, 0.0, 1.0);
    block = uvec4(size, colour_of(allocation), allocation);
}
