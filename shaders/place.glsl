// The places of the pixels of a view on its axes. All shaders of a picture use these functions, so that they agree on every
// pixel.

uniform uvec2 origin;             // whole part of the view's centre on the axis, in two's complement
uniform float first_edge;         // left edge of column 0, relative to the origin
uniform float column_width;       // width of a column of pixels on the axis
uniform float slide;              // length of a slide on the axis; 0 if there are no slides

uniform uvec2 first_row;          // height of the centre of row 0, whole bytes, in two's complement
uniform float first_row_rest;     // fraction of a byte to add to first_row
uniform uvec2 row_bytes;          // height of a row, whole bytes
uniform float row_bytes_rest;     // fraction of a byte to add to row_bytes

// `precise`, here and below, guarantees equal results in all shaders.
float middle_of_column(float column) {
    precise float middle = first_edge + column_width * (column + 0.5);
    return middle;
}

uvec2 height_of_row(uint row) {
    uint high;
    uint low;
    umulExtended(row, row_bytes.x, high, low);
    uvec2 whole = plus(first_row, uvec2(low, high + row * row_bytes.y));
    precise float rest = float(row) * row_bytes_rest + first_row_rest;
    return plus(whole, uvec2(uint(rest), 0u));
}

float bytes_per_row() {
    return as_float(row_bytes) + row_bytes_rest;
}

// Returns the distance that the allocations above one of this size, which was freed at `freed_at`, still slide at a moment.
uvec2 lift_of(uvec2 size, float freed_at, float moment) {
    if (moment < freed_at) return size;
    precise float left = slide > 0.0 ? 1.0 - (moment - freed_at) / slide : 0.0;
    if (left <= 0.0) return uvec2(0u);
    precise float lift = as_float(size) * min(left, 1.0);
    float high = floor(lift / 4294967296.0);
    return uvec2(uint(lift - high * 4294967296.0), uint(high));
}
