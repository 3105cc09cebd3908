/** The history that workers write to a database, and its comparison with the recorded claims. */
@NullMarked
package io.ostraka.faults.database;

import org.jspecify.annotations.NullMarked;
