// Walks down the tree for a block of pixels of one column, as far as the paths of all its pixels are equal, which is usually
// most of the way.

uniform table_t versions;  // per version: root, unused, total (two words)
uniform uint last_row;

// The result for a block of pixels, four words. If the paths of its pixels reach the tree: the node or leaf at which the
// paths part, or k_empty; the offset that was added to heights (two words); 0. If the paths part before the tree: the root
// of the tree; its total (two words); 1.
out uvec4 block;

// Writes the result to `block`. Returns false if the paths of the heights from `low` to `high` part before the tree.
bool find_together(uvec3 column, uvec4 version, uvec2 low, uvec2 high) {
    uvec2 start = low;
    block = uvec4(k_empty, 0u, 0u, 0u);
    if (column.yz != uvec2(0u)) {
        uvec2 edge = fetch_table(changes, int(column.x)).xy;
        uvec2 top = plus(edge, column.yz);
        bool below = less(low, edge);
        bool within = less(low, top);
        if (below != less(high, edge) || within != less(high, top)) return false;
        if (!below && within) return true;
        if (!below) {
            low = minus(low, column.yz);
            high = minus(high, column.yz);
        }
    }
    for (uint tick = column.x; !has_version(tick); --tick) {
        uvec4 change = fetch_table(changes, int(tick));
        bool below = less(low, change.xy);
        if (below != less(high, change.xy)) return false;
        if (change.z == k_empty || below) continue;
        uvec2 size = fetch_table(sizes, int(change.z & ~k_flag)).xy;
        if ((change.z & k_flag) != 0u) {
            low = plus(low, size);
            high = plus(high, size);
            continue;
        }
        low = minus(low, change.xy);
        high = minus(high, change.xy);
        bool within = less(low, size);
        if (within != less(high, size)) return false;
        if (within) block = uvec4(change.z | k_flag, minus(low, start), 0u);
        return true;
    }
    bool within = less(low, version.zw);
    if (within != less(high, version.zw)) return false;
    if (!within) return true;
    uint at = version.x;
    while ((at & k_flag) == 0u) {
        uvec4 node = fetch_table(nodes, int(at));
        bool left = less(low, node.zw);
        if (left != less(high, node.zw)) break;
        if (!left) {
            low = minus(low, node.zw);
            high = minus(high, node.zw);
        }
        at = left ? node.x : node.y;
    }
    block.xyz = uvec3(at, minus(low, start));
    return true;
}

void main() {
    block = uvec4(k_empty, 0u, 0u, 0u);
    uvec3 column = found(columns, ivec2(int(gl_FragCoord.x), 0)).xyz;
    uint row = uint(gl_FragCoord.y) * k_block_rows;
    uvec2 low = height_of_row(row);
    uvec2 high = height_of_row(min(row + k_block_rows - 1u, last_row));
    if (column.x == k_empty || (high.y & k_flag) != 0u) return;
    uvec4 version = fetch_table(versions, int(column.x >> version_shift));
    bool is_decided = (low.y & k_flag) == 0u && find_together(column, version, low, high);
    if (!is_decided) block = uvec4(version.xzw, 1u);
}
