/**
 * The reconciler, which works in the leading instance. It compares the observed state of the jobs with the wanted state
 * and writes the difference.
 *
 * <p>Terms in this package:
 * <ul>
 * <li>A <em>term</em> is a period of leadership. It begins when this instance increases the version of the epoch node,
 * and ends when this instance loses the leadership or its connection.
 * <li>A plan is <em>closed</em> during a change of the item count or scope. No new fire starts until the running items
 * have ended and the plan opens again.
 * <li>An <em>audit</em> of a job reads all nodes of the job again, because events may have been lost.
 * <li>The <em>caller</em> of a fire is the instance that calls the fire's once-listeners.
 * </ul>
 */
@NullMarked
package io.ostraka.core.leader;

import org.jspecify.annotations.NullMarked;
