// The look of a pixel of an allocation, for pictures from the index and from the mesh.

const float k_stripe_px = 4.0;        // width of a stripe, and of the gap between two stripes
const float k_stripe_shade = 0.6;
const float k_highlight = 0.45;       // share of white in a highlighted allocation
const float k_edge_darkness = 0.3;    // share of black in the line along the upper edge of an allocation
const vec2 k_edge_fade_px = vec2(3.0, 8.0);  // heights at which the line begins to appear, and is complete

// Returns the colour of a pixel. `colour` is 0xAABBGGRR. `is_top_row` is true in the row of pixels along the upper edge.
vec3 look(uint colour, bool is_highlighted, bool is_top_row, float height_px) {
    vec3 fill = unpackUnorm4x8(colour).rgb;
    bool in_stripe = mod(gl_FragCoord.x + gl_FragCoord.y, 2.0 * k_stripe_px) >= k_stripe_px;
    if ((colour >> 24) == k_hatched_alpha && in_stripe) fill *= k_stripe_shade;
    if (is_highlighted) fill = mix(fill, vec3(1.0), k_highlight);
    if (is_top_row) fill *= 1.0 - k_edge_darkness * smoothstep(k_edge_fade_px.x, k_edge_fade_px.y, height_px);
    return fill;
}
