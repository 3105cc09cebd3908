/**
 * Implements {@link io.ostraka.core.coordination.Coordination} on a tree of nodes: the paths, contents and transactions
 * of all nodes.
 */
@NullMarked
package io.ostraka.core.tree;

import org.jspecify.annotations.NullMarked;
