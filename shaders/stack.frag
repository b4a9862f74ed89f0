// Looks each pixel up: goes on from where its block came to, down the tree to the allocation at this height. Where that is
// undecided, first undoes the changes back to the last version that is kept. Straight code with few loops, since a software
// rasterizer runs both sides of every branch.

uniform usampler2D blocks;        // see blocks.frag
uniform uint highlighted;         // an allocation, or none
uniform vec3 background;

out vec4 colour;

// Where to go on from when the changes since the last version are undone: its root, a leaf or k_empty. y follows.
uint undo_changes(uvec4 block, uvec3 column, inout uvec2 y) {
    if ((y.y & k_flag) != 0u) return k_empty;
    for (uint tick = column.x;; --tick) {
        uvec4 change = fetch_table(changes, int(tick));
        bool above = !less(y, change.xy);
        if (tick == column.x && above && column.yz != uvec2(0u)) {
            if (less(y, plus(change.xy, column.yz))) return k_empty;
            y = minus(y, column.yz);
            above = !less(y, change.xy);
        }
        if (tick % k_version_ticks == 0u) break;
        if (!above || change.z == k_empty) continue;
        uvec2 size = fetch_table(sizes, int(change.z & ~k_flag)).xy;
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
    uvec4 block = found(blocks, ivec2(place.x, place.y / int(k_block_rows)));
    uvec2 y = height_of_row(uint(place.y));
    uint at = block.x;
    if (block.w != 0u) {
        at = undo_changes(block, found(columns, ivec2(place.x, 0)).xyz, y);
    } else {
        y = plus(y, block.yz);
    }
    while ((at & k_flag) == 0u) {
        uvec4 node = tree_node(at);
        bool left = less(y, node.zw);
        if (!left) y = minus(y, node.zw);
        at = left ? node.x : node.y;
    }
    colour = vec4(background, 1.0);
    if (at == k_empty) return;

    uint allocation = at & ~k_flag;
    uvec2 size = fetch_table(sizes, int(allocation)).xy;
    bool is_top_row = as_float(minus(size, y)) < bytes_per_row();
    colour.rgb = look(colour_of(allocation), allocation == highlighted, is_top_row, as_float(size) / bytes_per_row());
}
