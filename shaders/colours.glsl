// The colour of an allocation. While something is looked for, what does not stand out is grey, just as greyed() of
// core/mesh/greyed.h has it. Without a branch: Mesa compiles a program anew for each value of a uniform that decides one.

uniform table_t colours;       // per allocation, 0xAABBGGRR
uniform table_t standing_out;  // a bit per allocation, 32 of them in a word, from the lowest on
uniform uint no_others;        // all bits where everything stands out, else none
uniform uint darkest_grey;     // of what does not stand out

uint colour_of(uint allocation) {
    uint colour = fetch_table(colours, int(allocation)).x;
    uint brightness = (54u * (colour & 255u) + 183u * (colour >> 8u & 255u) + 19u * (colour >> 16u & 255u)) / 256u;
    uint grey = darkest_grey + brightness / 8u;
    uint word = no_others | fetch_table(standing_out, int(allocation >> 5u)).x;
    uint is_other = (word >> (allocation & 31u) & 1u) - 1u;  // all bits, or none
    return (colour & (0xFF000000u | ~is_other)) | (is_other & (grey << 16u | grey << 8u | grey));
}
