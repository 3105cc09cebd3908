/** Events of an instance, for history, metrics, tracing and alerts. */
@NullMarked
package io.ostraka.api.event;

import org.jspecify.annotations.NullMarked;
