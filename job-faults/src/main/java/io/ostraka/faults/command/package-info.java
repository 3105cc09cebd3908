/** Programs whose first argument names a command. */
@NullMarked
package io.ostraka.faults.command;

import org.jspecify.annotations.NullMarked;
