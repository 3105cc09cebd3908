/**
 * Immutable values: the contents of nodes, such as records and plans, and the views and snapshots that other packages
 * exchange.
 */
@NullMarked
package io.ostraka.core.model;

import org.jspecify.annotations.NullMarked;
