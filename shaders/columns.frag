// Finds the tick whose stack a column of pixels shows. If ticks lie in the column, it is the one with the largest total, so
// that no zoom hides a spike; otherwise the last tick before the column's middle. If ticks are at least as wide as columns,
// it is always the last tick before the column's middle, as in pictures of triangles.

uniform table_t ticks;     // place of each tick on the axis: low word, high word
uniform table_t changes;   // per tick: lower edge (two words), allocation and k_flag, total in units
uniform table_t sizes;     // bytes of each allocation: low word, high word
uniform table_t peaks;     // the tick with the largest total of every 4, then 16, 64 ... ticks

uniform bool ticks_are_wide;      // true if a column is at most as wide as a tick lasts
uniform uint last_tick;           // the tick before the right edge
uniform int peak_level_count;
uniform uint peak_levels[k_max_peak_levels];  // first index of each level in `peaks`

out uvec4 column;                 // tick or k_empty; distance that allocations above a freed one still slide (two words)

float place(uint tick) {
    return difference(fetch_table(ticks, int(tick)).xy, origin);
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
    uint best_total = fetch_table(changes, int(first)).w;
    for (uint tick = first; tick <= last;) {
        int level = 0;
        uint span = 1u;
        while (level < peak_level_count && (tick & (span * k_peak_fanout - 1u)) == 0u &&
               tick + span * k_peak_fanout - 1u <= last) {
            ++level;
            span *= k_peak_fanout;
        }
        uint candidate = level == 0 ? tick : fetch_table(peaks, int(peak_levels[level - 1] + tick / span)).x;
        uint total = fetch_table(changes, int(candidate)).w;
        if (total > best_total) {
            best = candidate;
            best_total = total;
        }
        tick += span;
    }
    return best;
}

void main() {
    float number = floor(gl_FragCoord.x);
    float middle = middle_of_column(number);
    column = uvec4(k_empty, 0u, 0u, 0u);
    if (middle < place(0u) || middle >= place(last_tick + 1u)) return;

    float left = ticks_are_wide ? middle : first_edge + column_width * number;
    uint first = last_at_or_before(left);
    uint last = ticks_are_wide ? first : last_at_or_before(left + column_width);
    uint tick = first == last ? first : peak_of(first, last);
    float shown_at = first == last ? middle : max(left, place(tick));

    column.x = tick;
    uint allocation = fetch_table(changes, int(tick)).z;
    if (allocation == k_empty || (allocation & k_flag) == 0u) return;
    column.yz = lift_of(fetch_table(sizes, int(allocation & ~k_flag)).xy, place(tick), shown_at);
}
