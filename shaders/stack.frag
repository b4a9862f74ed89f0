// Looks each pixel up: goes on from where its block came to, down the tree to the allocation at this height. Where that is
// undecided, first undoes the changes back to the last version that is kept. Straight code with few loops, since a software
// rasterizer runs both sides of every branch.

uniform usampler2D blocks;        // see blocks.frag
uniform usamplerBuffer colours;   // per allocation, 0xAABBGGRR; hatched where the alpha is not full
uniform uint highlighted;         // an allocation, or none
uniform vec3 background;

out vec4 colour;

float as_float(uvec2 a) {
    return float(a.y) * 4294967296.0 + float(a.x);
}

// Where to go on from when the changes since the last version are undone: its root, a leaf or k_empty. y follows.
uint undo_changes(uvec4 block, uvec3 column, inout uvec2 y) {
    if ((y.y & k_flag) != 0u) return k_empty;
    for (uint tick = column.x;; --tick) {
        uvec4 change = texelFetch(changes, int(tick));
        bool above = !less(y, change.xy);
        if (tick == column.x && above && column.yz != uvec2(0u)) {
            if (less(y, plus(change.xy, column.yz))) return k_empty;
            y = minus(y, column.yz);
            above = !less(y, change.xy);
        }
        if (tick % k_version_ticks == 0u) break;
        if (!above || change.z == k_empty) continue;
        uvec2 size = texelFetch(sizes, int(change.z & ~k_flag)).xy;
        if ((change.z & k_flag) != 0u) {
            y = plus(y, size);
        } else {
            y = minus(y, change.xy);
            return less(y, size) ? change.z | k_flag : k_empty;
        }
    }
    return less(y, block.yz) ? block.x : k_empty;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    uvec4 block = texelFetch(blocks, ivec2(place.x, place.y / int(k_block_rows)), 0);
    uvec2 y = height_of_row(uint(place.y));
    uint at = block.x;
    if (block.w != 0u) {
        at = undo_changes(block, texelFetch(columns, ivec2(place.x, 0), 0).xyz, y);
    } else {
        y = plus(y, block.yz);
    }
    while ((at & k_flag) == 0u) {
        uvec4 node = texelFetch(nodes, int(at));
        bool left = less(y, node.zw);
        if (!left) y = minus(y, node.zw);
        at = left ? node.x : node.y;
    }
    colour = vec4(background, 1.0);
    if (at == k_empty) return;

    uint allocation = at & ~k_flag;
    vec4 entry = unpackUnorm4x8(texelFetch(colours, int(allocation)).x);
    bool in_stripe = mod(gl_FragCoord.x + gl_FragCoord.y, 8.0) >= 4.0;
    vec3 fill = entry.a < 0.75 && in_stripe ? entry.rgb * 0.6 : entry.rgb;
    if (allocation == highlighted) fill = mix(fill, vec3(1.0), 0.45);
    // Where it is tall enough, the topmost row is darker to set it off from its neighbour.
    float bytes_per_px = as_float(row_bytes) + row_bytes_rest;
    uvec2 size = texelFetch(sizes, int(allocation)).xy;
    if (as_float(minus(size, y)) < bytes_per_px) fill *= 1.0 - 0.3 * smoothstep(3.0, 8.0, as_float(size) / bytes_per_px);
    colour = vec4(fill, 1.0);
}
