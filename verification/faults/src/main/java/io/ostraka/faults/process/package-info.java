/** Java programs in separate processes: classes for the parent process and for the programs themselves. */
@NullMarked
package io.ostraka.faults.process;

import org.jspecify.annotations.NullMarked;
