#version 410 core
// For each column of pixels: the tick whose stack it shows. Where ticks fall into the column it is the one with the largest
// total, so that no zoom hides a peak; where none does, it is the one before the column's centre.

uniform usamplerBuffer ticks;     // place of each tick on the axis: low word, high word
uniform usamplerBuffer changes;   // per tick: lower edge (two words), allocation and k_free, total in units
uniform usamplerBuffer sizes;     // per allocation, bytes: low word, high word
uniform usamplerBuffer peaks;     // tick of the largest total of every 4, 16, 64 ... ticks

uniform uvec2 origin;             // whole part of the view's centre on the axis: low word, high word
uniform float first_edge;         // left edge of column 0, seen from the origin
uniform float column_width;       // on the axis
uniform float slide;              // length of a drop on the axis
uniform uint last_tick;           // the last that changes anything; the right edge is one further
uniform int peak_level_count;
uniform uint peak_levels[16];     // where in `peaks` each level begins

out uvec4 column;                 // tick or k_empty; how far what lay above the freed allocation is still lifted (two words)

const uint k_free = 1u << 31;
const uint k_empty = 0xFFFFFFFFu;

float place(uint tick) {
    uvec2 at = texelFetch(ticks, int(tick)).xy;
    bool less = at.y < origin.y || (at.y == origin.y && at.x < origin.x);
    uvec2 large = less ? origin : at;
    uvec2 small = less ? at : origin;
    float apart = float(large.y - small.y - uint(large.x < small.x)) * 4294967296.0 + float(large.x - small.x);
    return less ? -apart : apart;
}

uint last_at_or_before(float x) {
    uint low = 0u;
    uint high = last_tick + 1u;
    while (high - low > 1u) {
        uint middle = low + (high - low) / 2u;
        if (place(middle) <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

uint peak_of(uint first, uint last) {
    uint best = first;
    uint best_total = texelFetch(changes, int(first)).w;
    for (uint tick = first; tick <= last;) {
        int level = 0;
        uint span = 1u;
        while (level < peak_level_count && (tick & (span * 4u - 1u)) == 0u && tick + span * 4u - 1u <= last) {
            ++level;
            span *= 4u;
        }
        uint candidate = level == 0 ? tick : texelFetch(peaks, int(peak_levels[level - 1] + tick / span)).x;
        uint total = texelFetch(changes, int(candidate)).w;
        if (total > best_total) {
            best = candidate;
            best_total = total;
        }
        tick += span;
    }
    return best;
}

void main() {
    float left = first_edge + column_width * floor(gl_FragCoord.x);
    float centre = left + 0.5 * column_width;
    column = uvec4(k_empty, 0u, 0u, 0u);
    if (centre < place(0u) || centre >= place(last_tick + 1u)) return;

    uint first = last_at_or_before(left);
    uint last = last_at_or_before(left + column_width);
    uint tick = first == last ? first : peak_of(first, last);
    float shown_at = first == last ? centre : max(left, place(tick));

    column.x = tick;
    uint allocation = texelFetch(changes, int(tick)).z;
    float still_sliding = slide > 0.0 ? 1.0 - (shown_at - place(tick)) / slide : 0.0;
    if (allocation == k_empty || (allocation & k_free) == 0u || still_sliding <= 0.0) return;
    uvec2 size = texelFetch(sizes, int(allocation & ~k_free)).xy;
    float lift = (float(size.y) * 4294967296.0 + float(size.x)) * min(still_sliding, 1.0);
    float high = floor(lift / 4294967296.0);
    column.y = uint(lift - high * 4294967296.0);
    column.z = uint(high);
}
