/** A Spring Boot application that runs as several processes and settles orders in a database. */
@NullMarked
package io.ostraka.examples.settlement;

import org.jspecify.annotations.NullMarked;
