/** The protocol's transactions and the form of every node, over a small store of nodes. */
@NullMarked
package io.ostraka.core.tree;

import org.jspecify.annotations.NullMarked;
