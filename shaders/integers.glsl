// Unsigned 64-bit integers as two words: low, high.

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
// Returns a - b for numbers less than 2^63 apart. Subtracts integers, so that small differences of large numbers are exact.
float difference(uvec2 a, uvec2 b) {
    uvec2 apart = minus(a, b);
    return (apart.y >> 31) != 0u ? -as_float(minus(uvec2(0u), apart)) : as_float(apart);
}
