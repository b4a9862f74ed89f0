// Draws a mesh as core/mesh/mesh.h describes it: triangle strips, four vertices a record, everything fetched by index.
//
// A rasterizer rounds corners to a part of a pixel of its own choice. So that it decides nothing: where an allocation begins
// and ends, corners lie on the border between two columns; along its edges they lie a little outside, and mesh.frag leaves
// out the pixels whose middle does not belong.

uniform table_t records;     // place and flags, lower edge in bytes (low word)
uniform table_t high_words;  // the high words of those lower edges
uniform table_t groups;      // per k_group_records records: first tick, first piece
uniform table_t pieces;      // allocation
uniform table_t sizes;       // per allocation, bytes
uniform table_t colours;     // per allocation, 0xAABBGGRR
uniform table_t ticks;       // place of each tick on the axis

uniform int last_tick;               // of the recording
uniform bool has_high_words;        // all of them are 0 otherwise, and not stored
uniform bool straight;              // lower edges run straight from record to record
uniform uint piece_bits;            // low bits of a place that number the piece; the tick is above them
uniform vec2 size_px;               // of the viewport

flat out uvec4 edge;                // lower edge from the tick on; how much higher it lay before
flat out uvec4 block;               // size, colour, allocation
flat out float tick_place;          // seen from the origin
flat out float end_column;          // where the recording ends: the border before the first column without it
noperspective out float upper_row;  // where paths are straight: the upper edge here, in rows from below

const float k_outside_px = 0.125;   // twice what the coarsest rasterizers round by
const float k_rounding = 1e-6;      // of a float, with room to spare

uvec2 low_of(int index) {
    return uvec2(fetch_table(records, index).y, has_high_words ? fetch_table(high_words, index).x : 0u);
}

float row_of(uvec2 height) {
    return (difference(height, first_row) - first_row_rest) / bytes_per_row() + 0.5;
}

float column_of(float place) {
    return (place - first_edge) / column_width;
}

// The left border of the first column whose middle is not before a place.
float first_column(float place) {
    float column = ceil(column_of(place) - 0.5);
    if (middle_of_column(column - 1.0) >= place) return column - 1.0;
    return middle_of_column(column) < place ? column + 1.0 : column;
}

void main() {
    int index = gl_VertexID / int(k_record_vertices);
    int corner = gl_VertexID % int(k_record_vertices);
    uint place = fetch_table(records, index).x;
    uvec2 group = fetch_table(groups, index / int(k_group_records)).xy;
    uint allocation = fetch_table(pieces, int(group.y + (place & ((1u << piece_bits) - 1u)))).x;
    uint tick = group.x + ((place & ((1u << k_record_place_bits) - 1u)) >> piece_bits);
    tick_place = difference(fetch_table(ticks, int(tick)).xy, origin);
    uvec2 size = fetch_table(sizes, int(allocation)).xy;
    uvec2 low = low_of(index);
    uvec2 drop = uvec2(0u);

    // Start and end repeat a corner, so that the strip leaps to the next piece without drawing anything.
    bool upper = (corner & 1) == 1;
    bool drops = false;
    if ((place & k_record_start) != 0u) {
        upper = corner == 3;
    } else if ((place & k_record_end) != 0u) {
        upper = corner != 0;
    } else if (!straight) {
        drop = minus(low_of(index - 1), low);
        drops = slide > 0.0;
    }
    uvec2 lower_edge = corner < 2 ? plus(low, drop) : low;
    float lower_y = row_of(lower_edge);
    float upper_y = row_of(plus(lower_edge, size));
    upper_row = upper_y;
    float x = column_of(tick_place);
    end_column = first_column(difference(fetch_table(ticks, last_tick).xy, origin));
    if (!straight) {
        float slide_px = slide / column_width;
        float steepness = drops ? as_float(drop) / bytes_per_row() / slide_px : 0.0;
        float outside = k_outside_px * (1.0 + steepness) + k_rounding * (abs(lower_y) + abs(upper_y));
        if (drops) outside += 1.0 / bytes_per_row();  // lift_of() gives whole bytes
        lower_y -= outside;
        upper_y += outside;
        if (!drops) {
            x = first_column(tick_place);
        } else if (corner >= 2) {
            // The next tick is further away, unless the recording ends with this slide: see end_column.
            x += slide_px + min(0.5 * k_outside_px, slide_px / 6.0);
        }
    }
    gl_Position = vec4(vec2(x, upper ? upper_y : lower_y) / size_px * 2.0 - 1.0, 0.0, 1.0);
    edge = uvec4(low, drop);
    block = uvec4(size, fetch_table(colours, int(allocation)).x, allocation);
}
