/** Stores rows on disk until the database has them. */
@NullMarked
package io.ostraka.history.spool;

import org.jspecify.annotations.NullMarked;
