// The tables of core/mesh/stack_index.h, for the two shaders that walk down the tree.

uniform usampler2D columns;       // output of columns.frag
uniform table_t changes;          // per tick: lower edge (two words), allocation and k_flag, total in units
uniform table_t sizes;            // bytes of each allocation
uniform table_t nodes;            // nodes of the tree: left child, right child, bytes to the left (two words)
uniform uint version_shift;       // a version of the tree is kept every 2^version_shift ticks

bool has_version(uint tick) { return tick >> version_shift << version_shift == tick; }

// Returns the output of an earlier pass for a place. GPUs process pixels in groups of four, and therefore also places beside
// the picture; a texel from there could name a node of no tree, and a walk from such a node might never end.
uvec4 found(usampler2D picture, ivec2 place) {
    return texelFetch(picture, min(place, textureSize(picture, 0) - 1), 0);
}
