/** Pure decisions: values in, values out, without a clock, a logger, a thread or a port. */
@NullMarked
package io.ostraka.core.decide;

import org.jspecify.annotations.NullMarked;
