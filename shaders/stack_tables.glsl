// The tables of core/mesh/stack_index.h, for the two shaders that look for allocations in them.

uniform usampler2D columns;       // per column of pixels: tick, lift (two words)
uniform table_t changes;   // per tick: lower edge (two words), allocation and k_flag, total in units
uniform table_t sizes;     // per allocation, bytes

// What an earlier pass found for a place. Cards also work on places beside the picture where they take pixels four at a time;
// what is read there leads to a node of no tree, from which a walk may never end.
uvec4 found(usampler2D picture, ivec2 place) {
    return texelFetch(picture, min(place, textureSize(picture, 0) - 1), 0);
}
