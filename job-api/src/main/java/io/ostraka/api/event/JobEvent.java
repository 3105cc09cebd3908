package io.ostraka.api.event;

/** An event of one job. */
public sealed interface JobEvent extends Event
        permits RunEvent,
                FiresSkipped,
                FireTriggered,
                JobConfigured,
                SkipRecorded,
                ItemWaiting,
                PlanChanged,
                OverrideChanged,
                ItemReleased,
                CursorSetBack,
                JobPurged {
    /** Returns the job's name. */
    String job();
}
