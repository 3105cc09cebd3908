/** Items that run a program: starting it, reading its output, and ending all processes that it started. */
@NullMarked
package io.ostraka.core.run.script;

import org.jspecify.annotations.NullMarked;
