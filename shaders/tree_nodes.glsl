// The nodes of the tree over the live stack.

uniform table_t nodes;     // left child, right child, bytes to the left (two words)

uvec4 tree_node(uint at) { return fetch_table(nodes, int(at)); }
