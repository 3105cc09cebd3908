/** Publishes the events and the load of an instance as Micrometer meters. */
@NullMarked
package io.ostraka.micrometer;

import org.jspecify.annotations.NullMarked;
