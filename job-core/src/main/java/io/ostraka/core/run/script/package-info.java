/** Runs items as programs: starts a program, reads its output, and ends all processes that the program has started. */
@NullMarked
package io.ostraka.core.run.script;

import org.jspecify.annotations.NullMarked;
