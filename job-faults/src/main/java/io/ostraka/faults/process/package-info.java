/** Java programs in processes of their own, for the parent process and for the programs themselves. */
@NullMarked
package io.ostraka.faults.process;

import org.jspecify.annotations.NullMarked;
