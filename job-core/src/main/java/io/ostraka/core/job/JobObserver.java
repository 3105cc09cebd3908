package io.ostraka.core.job;

import org.jspecify.annotations.Nullable;

/** Observes a hosted job and takes no part in its fires. */
interface JobObserver {
    /**
     * Called on the job's serial executor after each step of the job; must return at once.
     *
     * @param closing true if the job is being closed in this instance
     * @param defect failure of the engine's last step; null if it did not fail
     */
    void stepped(JobState job, boolean closing, @Nullable String defect);
}
