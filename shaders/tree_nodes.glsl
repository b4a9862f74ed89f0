// The nodes of the tree over the live stack.

uniform usamplerBuffer nodes;     // left child, right child, bytes to the left (two words)

uvec4 tree_node(uint at) { return texelFetch(nodes, int(at)); }
