/** Typed events of an instance, for history, metrics, tracing and alarms. */
@NullMarked
package io.ostraka.api.event;

import org.jspecify.annotations.NullMarked;
