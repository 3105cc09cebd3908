/** Running items: threads, time limits, retries, cancellation, and the boundary to the user's code. */
@NullMarked
package io.ostraka.core.execution;

import org.jspecify.annotations.NullMarked;
