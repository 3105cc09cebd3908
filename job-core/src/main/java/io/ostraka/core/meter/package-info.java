/** What is measured: the events that meters are told of, and figures that an instance keeps of its own. */
@NullMarked
package io.ostraka.core.meter;

import org.jspecify.annotations.NullMarked;
