/** The tables of the history, and the statements that write, read and delete their rows. */
@NullMarked
package io.ostraka.history.jdbc;

import org.jspecify.annotations.NullMarked;
