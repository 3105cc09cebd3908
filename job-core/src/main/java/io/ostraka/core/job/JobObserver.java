package io.ostraka.core.job;

import org.jspecify.annotations.Nullable;

/** Observes a hosted job without influencing it. */
interface JobObserver {
    /**
     * Called on the job's serial executor after each step of the job. Must return at once.
     *
     * @param closing true if this instance is closing the job
     * @param defect description of the exception that ended the job's last step; null if the step succeeded
     */
    void stepped(HostedJobState job, boolean closing, @Nullable String defect);
}
