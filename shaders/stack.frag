// Finds the allocation of each pixel: continues the walk down the tree from the node that the pixel's block has reached. If
// the paths of the block part before the tree, first undoes the changes since the last version. Avoids branches and loops,
// because a software rasterizer executes both sides of a branch.

uniform usampler2D blocks;        // output of blocks.frag
uniform uint highlighted;         // id of an allocation, or none
uniform vec3 background;

out vec4 colour;

// Undoes the changes since the last version, and moves the height y accordingly. Returns the root of the version, a leaf or
// k_empty.
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
        if (has_version(tick)) break;
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
        uvec4 node = fetch_table(nodes, int(at));
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
