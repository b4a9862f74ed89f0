// Constants of the tables that core/mesh builds and shaders read. C++ includes this file, too (core/mesh/gpu_format.h), so
// it contains only unsigned constants.

// The triangle mesh: the first word of a record, and the numbers of vertices and of records in a group.
const uint k_record_start = 1u << 31;  // first record of a piece
const uint k_record_end = 1u << 30;    // last record of a piece
const uint k_record_place_bits = 30u;  // bits below the flags: tick, then piece
const uint k_record_vertices = 4u;
const uint k_group_records = 256u;     // records with the same base of ticks and pieces

// The index of the live stack.
const uint k_flag = 1u << 31;          // marks a leaf among children, and a free among changes
const uint k_empty = 0xFFFFFFFFu;      // the root of an empty tree, a change without effect, a pixel without allocation
const uint k_peak_fanout = 4u;         // number of ticks, or of peaks of a level, that one peak of the next level summarises
const uint k_max_peak_levels = 16u;    // maximum number of levels, enough for 2^32 ticks
const uint k_block_rows = 16u;         // pixels of a column that the second pass looks up together

// Tables as textures.
const uint k_table_row_bits = 12u;     // low bits of an index: the column in the texture

// Alpha of colours that are drawn with stripes. Colours are 0xAABBGGRR; all others have full alpha.
const uint k_hatched_alpha = 128u;
