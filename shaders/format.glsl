// The numbers on which the tables of core/mesh and the shaders that read them agree. C++ includes this file too
// (core/mesh/gpu_format.h), so it holds nothing but unsigned constants.

// The mesh: what stands in a record's first word, and how records lead to vertices and to their chunk.
const uint k_record_start = 1u << 31;  // first record of a piece
const uint k_record_end = 1u << 30;    // last record of a piece
const uint k_record_place_bits = 30u;  // below the flags: tick, then piece
const uint k_record_vertices = 4u;
const uint k_group_records = 256u;     // records that count ticks and pieces from the same base

// The index of the live stack.
const uint k_flag = 1u << 31;          // a leaf among children, a free among changes
const uint k_empty = 0xFFFFFFFFu;      // a root of nothing, a change that changes nothing, a pixel without allocation
const uint k_version_ticks = 4u;       // a version of the tree is kept every so many ticks
const uint k_peak_fanout = 4u;         // ticks or peaks of which the next level knows the largest
const uint k_most_peak_levels = 16u;   // 4^16 ticks are more than can be numbered
const uint k_block_rows = 16u;         // pixels of a column that are looked up together first

// Tables that the driver has as pictures.
const uint k_table_row_bits = 12u;     // of an index: its place in a row

// Colours are 0xAABBGGRR. One with this alpha is drawn with stripes; all others have full alpha.
const uint k_hatched_alpha = 128u;
