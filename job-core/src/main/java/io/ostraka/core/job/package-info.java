/** One hosted job in this instance, from the alarm to user code and back. */
@NullMarked
package io.ostraka.core.job;

import org.jspecify.annotations.NullMarked;
