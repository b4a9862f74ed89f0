// Tables as the rows of a texture, for drivers without buffer textures, see render/gl/table.h.

#define table_t usampler2D
#define fetch_table(table, index) texelFetch(table, ivec2((index) & ((1 << k_table_row_bits) - 1), (index) >> k_table_row_bits), 0)
