package io.ostraka.remote;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of a {@link RemoteConfiguration}. Immutable.
 *
 * @param source origin of the configuration in effect
 * @param revision revision of the answer in effect; 0 if there is none
 * @param issuedAt time at which the platform issued this answer, by its clock; null if there is none
 * @param confirmedAt time at which the platform last sent or confirmed this answer, by this machine's clock; null if
 *     there is none
 * @param problem description of the problem and of the configuration in effect: the latest answer is missing or was
 *     refused, or the registry does not accept the settings of a job. Null if there is no problem
 * @param absentJobs jobs that are paused because the answer does not define them. Sorted and unmodifiable
 * @param unknownJobs jobs that the answer defines, but that this application does not have. They have no effect here.
 *     Sorted and unmodifiable
 * @param restartNeeded true if the connection settings in the answer differ from those with which this process started
 */
public record RemoteStatus(
        Source source,
        long revision,
        @Nullable Instant issuedAt,
        @Nullable Instant confirmedAt,
        @Nullable String problem,
        SortedSet<String> absentJobs,
        SortedSet<String> unknownJobs,
        boolean restartNeeded) {
    /** Origins of the configuration in effect. */
    public enum Source {
        /** An answer that the platform has sent to this process. */
        PLATFORM,
        /** The last accepted answer that an earlier process has stored on disk. */
        DISK,
        /** The application's own configuration, because there is no answer. */
        LOCAL
    }

    /** Copies the sets. */
    public RemoteStatus {
        absentJobs = sorted(absentJobs);
        unknownJobs = sorted(unknownJobs);
    }

    private static SortedSet<String> sorted(Set<String> names) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(names));
    }
}
