/** What is measured: figures that an instance keeps of its own, and the events that other meters are told of. */
@NullMarked
package io.ostraka.api.metrics;

import org.jspecify.annotations.NullMarked;
