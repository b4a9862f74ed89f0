// The colour of an allocation. If some allocations are highlighted, all others have the grey of greyed() in
// core/mesh/colours.h. There is no branch, because Mesa compiles a program again for each value of a uniform in a condition.

uniform table_t colours;       // 0xAABBGGRR of each allocation
uniform table_t highlight_bits;  // a bit per allocation: 32 in a word, lowest bit first
uniform uint no_others;        // all bits set if nothing is highlighted, else 0
uniform uint darkest_grey;     // grey level of black

uint colour_of(uint allocation) {
    uint colour = fetch_table(colours, int(allocation)).x;
    uint brightness = (54u * (colour & 255u) + 183u * (colour >> 8u & 255u) + 19u * (colour >> 16u & 255u)) / 256u;
    uint grey = darkest_grey + brightness / 8u;
    uint word = no_others | fetch_table(highlight_bits, int(allocation >> 5u)).x;
    uint is_other = (word >> (allocation & 31u) & 1u) - 1u;  // all bits set if the allocation is not highlighted, else 0
    return (colour & (0xFF000000u | ~is_other)) | (is_other & (grey << 16u | grey << 8u | grey));
}
