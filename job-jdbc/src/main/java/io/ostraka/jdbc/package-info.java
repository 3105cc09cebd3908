/** The fence of a database: within a transaction of the application, it refuses runs that have lost their item. */
@NullMarked
package io.ostraka.jdbc;

import org.jspecify.annotations.NullMarked;
