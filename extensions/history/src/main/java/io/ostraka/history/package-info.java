/** The history of jobs in a database. */
@NullMarked
package io.ostraka.history;

import org.jspecify.annotations.NullMarked;
