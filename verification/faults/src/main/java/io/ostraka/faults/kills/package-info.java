/** Kills workers between the completion of a run and the insert of its row, and then checks the history. */
@NullMarked
package io.ostraka.faults.kills;

import org.jspecify.annotations.NullMarked;
