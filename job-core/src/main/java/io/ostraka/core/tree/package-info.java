/** The transactions of the protocol and the encoding of every node, on a small store of nodes. */
@NullMarked
package io.ostraka.core.tree;

import org.jspecify.annotations.NullMarked;
