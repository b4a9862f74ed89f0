// The nodes of the tree over the live stack in two tables, for more nodes than the driver holds in one table.

uniform table_t nodes;       // left child, right child, bytes to the left (two words)
uniform table_t more_nodes;  // the nodes from first_of_more on
uniform uint first_of_more;

uvec4 tree_node(uint at) {
    if (at < first_of_more) return fetch_table(nodes, int(at));
    return fetch_table(more_nodes, int(at - first_of_more));
}
