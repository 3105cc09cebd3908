/**
 * Hosts a job in this instance: claims, runs and completes the due fires of the job's items.
 *
 * <p>Terms in this package:
 * <ul>
 * <li>An <em>advance</em> is one step of the job, {@code HostedJob.advance()}. It starts everything that is possible at
 * that moment.
 * <li>The <em>incarnation</em> is a number that a job's plan and its item records share. It rises when all records are
 * rewritten, for example after a change of the item count. A record of another incarnation cannot be claimed.
 * <li>The <em>cursor</em> of an item record is the time up to which the item has claimed or skipped all scheduled
 * fires. <em>Skipped</em> fires are the skipped ones.
 * <li>The <em>caller</em> of a fire is the instance that calls the fire's once-listeners.
 * </ul>
 */
@NullMarked
package io.ostraka.core.job;

import org.jspecify.annotations.NullMarked;
