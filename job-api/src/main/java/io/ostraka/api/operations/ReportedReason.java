package io.ostraka.api.operations;

import io.ostraka.api.JobHealth;

/**
 * A reason why a job does not run as configured, as one instance reports it. Immutable.
 *
 * @param instance id of the instance
 * @param reason the reason
 */
public record ReportedReason(String instance, JobHealth.Reason reason) {}
