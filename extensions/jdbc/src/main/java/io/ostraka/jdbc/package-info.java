/**
 * A fence for databases: within a transaction of the application, it refuses the writes of runs that have lost their
 * item.
 */
@NullMarked
package io.ostraka.jdbc;

import org.jspecify.annotations.NullMarked;
