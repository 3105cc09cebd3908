package io.ostraka.api.event;

/** An event of one job. */
public sealed interface JobEvent extends Event
        permits RunEvent,
                FiresSkipped,
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
