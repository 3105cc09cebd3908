/** Items whose work is a program's: starting it, reading it, and ending it with all that it has started. */
@NullMarked
package io.ostraka.core.run.script;

import org.jspecify.annotations.NullMarked;
