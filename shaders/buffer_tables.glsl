// Tables as buffer textures, see render/gl/table.h.

#define table_t usamplerBuffer
#define fetch_table(table, index) texelFetch(table, index)
