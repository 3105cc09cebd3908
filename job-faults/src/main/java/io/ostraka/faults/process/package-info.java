/** Java programs in processes of their own, as whoever starts them and as they themselves see it. */
@NullMarked
package io.ostraka.faults.process;

import org.jspecify.annotations.NullMarked;
