/** Running items: threads, cancellation, and the boundary to the user's code. */
@NullMarked
package io.ostraka.core.execution;

import org.jspecify.annotations.NullMarked;
