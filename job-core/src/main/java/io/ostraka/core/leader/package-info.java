/**
 * The reconciler, which works in the leading instance. It compares the observed state of the jobs with the wanted state
 * and writes the difference.
 *
 * <p>Terms in this package:
 * <ul>
 * <li>A <em>term</em> lasts from the moment at which this instance takes a new epoch until it loses leadership or its
 * connection.
 * <li>A plan is <em>closed</em> during a change of the item count: no new fire starts until running items have ended
 * and the plan opens again.
 * <li>An <em>audit</em> reads all nodes of one job again, because events may have been lost.
 * <li>The <em>caller</em> of a fire is the instance that calls the fire's once-listeners.
 * </ul>
 */
@NullMarked
package io.ostraka.core.leader;

import org.jspecify.annotations.NullMarked;
