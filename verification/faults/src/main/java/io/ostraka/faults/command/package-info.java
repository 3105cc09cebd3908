/** Programs with several commands. The first argument selects the command. */
@NullMarked
package io.ostraka.faults.command;

import org.jspecify.annotations.NullMarked;
