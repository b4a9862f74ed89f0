#version 410 core
// Draws a mesh as core/mesh/mesh.h describes it: triangle strips, four vertices a record, everything fetched by index.

uniform usamplerBuffer records;   // place and flags, lower edge in units
uniform usamplerBuffer groups;    // per 256 records: first tick, first piece
uniform usamplerBuffer pieces;    // allocation
uniform usamplerBuffer heights;   // per allocation, in units
uniform usamplerBuffer colours;   // per allocation, 0xAABBGGRR; hatched where the alpha is not full
uniform usamplerBuffer ticks;     // place of each tick on the axis: low word, high word

uniform uvec2 origin_x;           // whole part of the view's centre on the axis: low word, high word
uniform uint origin_y;            // whole part of the view's centre in units
uniform vec2 origin_rest;         // what the two leave of the centre
uniform vec2 scale;               // axis and units to clip space
uniform float slide;              // length of a drop on the axis
uniform bool straight;            // lower edges run straight from record to record
uniform uint highlighted;         // an allocation, or none
uniform uint piece_bits;          // low bits of a place that number the piece; the tick is above them
uniform float height_px;          // of the viewport

noperspective out float upper_px; // the allocation's upper edge above or below this place
flat out vec4 fill;                // colour; in w how bright the line along the upper edge is
flat out float stripe;             // how bright every second stripe is

const uint k_start = 1u << 31;
const uint k_end = 1u << 30;
const uint k_place_mask = k_end - 1u;

// The integers are subtracted before they become floats, larger minus smaller, so that what is near the centre is exact.
float difference(uint a, uint b) {
    return a >= b ? float(a - b) : -float(b - a);
}

float difference(uvec2 a, uvec2 b) {
    bool less = a.y < b.y || (a.y == b.y && a.x < b.x);
    uvec2 large = less ? b : a;
    uvec2 small = less ? a : b;
    float high = float(large.y - small.y - uint(large.x < small.x));
    float apart = high * 4294967296.0 + float(large.x - small.x);
    return less ? -apart : apart;
}

void main() {
    int index = gl_VertexID >> 2;
    int corner = gl_VertexID & 3;
    uvec2 record = texelFetch(records, index).xy;
    uvec2 group = texelFetch(groups, index >> 8).xy;
    uint allocation = texelFetch(pieces, int(group.y + (record.x & ((1u << piece_bits) - 1u)))).x;
    uint height = texelFetch(heights, int(allocation)).x;
    float x = difference(texelFetch(ticks, int(group.x + ((record.x & k_place_mask) >> piece_bits))).xy, origin_x);
    uint low = record.y;

    // Start and end repeat a corner, so that the strip leaps to the next piece without drawing anything.
    bool upper = (corner & 1) == 1;
    if ((record.x & k_start) != 0u) {
        upper = corner == 3;
    } else if ((record.x & k_end) != 0u) {
        upper = corner != 0;
    } else if (!straight) {
        if (corner < 2) {
            low = texelFetch(records, index - 1).y;
        } else {
            x += slide;
        }
    }

    float lower_y = (difference(low, origin_y) - origin_rest.y) * scale.y;
    float upper_y = (difference(low + height, origin_y) - origin_rest.y) * scale.y;
    gl_Position = vec4((x - origin_rest.x) * scale.x, upper ? upper_y : lower_y, 0.0, 1.0);

    upper_px = (upper_y * 0.5 + 0.5) * height_px;
    fill = unpackUnorm4x8(texelFetch(colours, int(allocation)).x);
    stripe = fill.w < 0.75 ? 0.6 : 1.0;
    if (allocation == highlighted) fill.rgb = mix(fill.rgb, vec3(1.0), 0.45);
    fill.w = 1.0 - 0.3 * clamp(float(height) * scale.y * height_px * 0.1 - 0.6, 0.0, 1.0);
}
