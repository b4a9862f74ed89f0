#version 410 core
// Looks each pixel up in the history of the live stack (core/mesh/stack_index.h): undoes the changes back to the last version
// that is kept, then walks down its tree to the allocation at this height. Heights are 64-bit integers: low word, high word.

uniform usampler2D columns;       // per column of pixels: tick, lift (two words), a height above which there is nothing
uniform usamplerBuffer nodes;     // left child, right child, bytes to the left (two words)
uniform usamplerBuffer versions;  // root, -, total (two words)
uniform usamplerBuffer changes;   // per tick: lower edge (two words), allocation and k_free, total in units
uniform usamplerBuffer sizes;     // per allocation, bytes
uniform usamplerBuffer colours;   // per allocation, 0xAABBGGRR

uniform uvec2 first_row;          // height of the centre of row 0, whole bytes; negative in two's complement
uniform float first_row_rest;     // and what that leaves
uniform uvec2 row_bytes;          // height of a row, whole bytes
uniform float row_bytes_rest;     // and what that leaves
uniform uint highlighted;         // an allocation, or none
uniform vec3 background;

out vec4 colour;

const uint k_flag = 1u << 31;     // a leaf among children, a free among changes
const uint k_empty = 0xFFFFFFFFu;
const uint k_version_ticks = 4u;

bool less(uvec2 a, uvec2 b) {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
uvec2 plus(uvec2 a, uvec2 b) {
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + uint(low < a.x));
}
uvec2 minus(uvec2 a, uvec2 b) {
    return uvec2(a.x - b.x, a.y - b.y - uint(a.x < b.x));
}
float as_float(uvec2 a) {
    return float(a.y) * 4294967296.0 + float(a.x);
}

uvec2 height_of_row(uint row) {
    uint high;
    uint low;
    umulExtended(row, row_bytes.x, high, low);
    uvec2 whole = plus(first_row, uvec2(low, high + row * row_bytes.y));
    return plus(whole, uvec2(uint(float(row) * row_bytes_rest + first_row_rest), 0u));
}

// The allocation at a height, or k_empty; y becomes the height within it.
uint find(uint tick, uvec2 lift, inout uvec2 y) {
    if (lift != uvec2(0u)) {
        uvec2 low = texelFetch(changes, int(tick)).xy;
        if (!less(y, low)) {
            if (less(y, plus(low, lift))) return k_empty;
            y = minus(y, lift);
        }
    }
    for (uint t = tick; t % k_version_ticks != 0u; --t) {
        uvec4 change = texelFetch(changes, int(t));
        if (change.z == k_empty || less(y, change.xy)) continue;
        uvec2 size = texelFetch(sizes, int(change.z & ~k_flag)).xy;
        if ((change.z & k_flag) != 0u) {
            y = plus(y, size);
        } else {
            y = minus(y, change.xy);
            return less(y, size) ? change.z : k_empty;
        }
    }
    uvec4 version = texelFetch(versions, int(tick / k_version_ticks));
    if (!less(y, version.zw)) return k_empty;
    uint at = version.x;
    while ((at & k_flag) == 0u) {
        uvec4 node = texelFetch(nodes, int(at));
        bool left = less(y, node.zw);
        if (!left) y = minus(y, node.zw);
        at = left ? node.x : node.y;
    }
    return at & ~k_flag;
}

void main() {
    colour = vec4(background, 1.0);
    uvec4 column = texelFetch(columns, ivec2(int(gl_FragCoord.x), 0), 0);
    uvec2 y = height_of_row(uint(gl_FragCoord.y));
    if (column.x == k_empty || (y.y & k_flag) != 0u || as_float(y) > uintBitsToFloat(column.w)) return;
    uint allocation = find(column.x, column.yz, y);
    if (allocation == k_empty) return;

    vec3 fill = unpackUnorm4x8(texelFetch(colours, int(allocation)).x).rgb;
    if (allocation == highlighted) fill = mix(fill, vec3(1.0), 0.45);
    // Where it is tall enough, the topmost row is darker to set it off from its neighbour.
    float bytes_per_px = as_float(row_bytes) + row_bytes_rest;
    uvec2 size = texelFetch(sizes, int(allocation)).xy;
    if (as_float(minus(size, y)) < bytes_per_px) fill *= 1.0 - 0.3 * smoothstep(3.0, 8.0, as_float(size) / bytes_per_px);
    colour = vec4(fill, 1.0);
}
