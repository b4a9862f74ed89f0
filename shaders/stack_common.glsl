#version 410 core
// What the two shaders share that look for allocations in the history of the live stack (core/mesh/stack_index.h). Heights are
// 64-bit integers: low word, high word.

uniform usampler2D columns;       // per column of pixels: tick, lift (two words)
uniform usamplerBuffer nodes;     // left child, right child, bytes to the left (two words)
uniform usamplerBuffer changes;   // per tick: lower edge (two words), allocation and k_flag, total in units
uniform usamplerBuffer sizes;     // per allocation, bytes

uniform uvec2 first_row;          // height of the centre of row 0, whole bytes; negative in two's complement
uniform float first_row_rest;     // and what that leaves
uniform uvec2 row_bytes;          // height of a row, whole bytes
uniform float row_bytes_rest;     // and what that leaves

const uint k_flag = 1u << 31;     // a leaf among children, a free among changes
const uint k_empty = 0xFFFFFFFFu;
const uint k_version_ticks = 4u;
const uint k_block_rows = 16u;      // pixels of a column that are looked up together first

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

uvec2 height_of_row(uint row) {
    uint high;
    uint low;
    umulExtended(row, row_bytes.x, high, low);
    uvec2 whole = plus(first_row, uvec2(low, high + row * row_bytes.y));
    return plus(whole, uvec2(uint(float(row) * row_bytes_rest + first_row_rest), 0u));
}
