/** Programs with commands, chosen by the first argument. */
@NullMarked
package io.ostraka.faults.command;

import org.jspecify.annotations.NullMarked;
