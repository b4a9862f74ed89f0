// Draws a triangle mesh as core/mesh/triangle_mesh.h describes it: triangle strips of four vertices per record, all of which
// are fetched by index.

uniform table_t records;     // place and flags; lower edge in units
uniform table_t groups;      // per k_group_records records: first tick, first piece
uniform table_t pieces;      // allocation of each piece
uniform table_t sizes;       // bytes of each allocation
uniform table_t ticks;       // place of each tick on the axis

uniform uint piece_bits;     // number of low bits of a record's place that contain the piece; the tick is above them
uniform uint unit_shift;     // at most 31; a unit is 2^unit_shift bytes
uniform vec2 size_px;        // size of the viewport

flat out uvec4 block;               // size in bytes (two words), colour, allocation
noperspective out float upper_row;  // the upper edge at this place, in rows from the bottom

uvec2 low_of(int index) {
    uint units = fetch_table(records, index).y;
    return uvec2(units << unit_shift, (units >> 1) >> (31u - unit_shift));
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
    float x = (difference(fetch_table(ticks, int(tick)).xy, origin) - first_edge) / column_width;

    // The first and the last record repeat a corner, so that the strip leads to the next piece without drawing anything.
    bool is_start = (place & k_record_start) != 0u;
    bool is_end = (place & k_record_end) != 0u;
    bool is_upper = is_start ? corner == 3 : is_end ? corner != 0 : (corner & 1) == 1;
    // All other records are slides: from the height of the record before to their own.
    bool is_slide = slide > 0.0 && !is_start && !is_end;
    if (is_slide && corner >= 2) x += slide / column_width;
    uvec2 low = low_of(is_slide && corner < 2 ? index - 1 : index);

    uvec2 high = plus(low, size);
    upper_row = row_of(high);
    // Heights are rounded down to units. An allocation reaches up by what may have been lost, so that no gap opens below the
    // next one, which is drawn later, over it.
    float row = is_upper ? row_of(plus(high, uvec2((1u << unit_shift) - 1u, 0u))) : row_of(low);
    gl_Position = vec4(vec2(x, row) / size_px * 2.0 - 1.0, 0.0, 1.0);
    block = uvec4(size, colour_of(allocation), allocation);
}
