/** The rows of the history. */
@NullMarked
package io.ostraka.history.row;

import org.jspecify.annotations.NullMarked;
