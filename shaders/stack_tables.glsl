// The tables of core/mesh/stack_index.h, for the two shaders that look for allocations in them.

uniform usampler2D columns;       // per column of pixels: tick, lift (two words)
uniform table_t changes;   // per tick: lower edge (two words), allocation and k_flag, total in units
uniform table_t sizes;     // per allocation, bytes
