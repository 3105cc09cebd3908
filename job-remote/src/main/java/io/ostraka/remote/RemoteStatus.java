package io.ostraka.remote;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of the configuration from the platform. Immutable.
 *
 * @param source origin of the configuration in effect
 * @param revision revision of the answer in effect; 0 if there is none
 * @param issuedAt time at which the platform issued this answer, by its clock; null if there is none
 * @param confirmedAt time at which the platform last sent or confirmed this answer, by this machine's clock; null if it
 *     has not done so since the last installation of the application
 * @param problem why the latest answer of the platform is missing or refused, and the configuration in effect; null if
 *     the latest request succeeded
 * @param absentJobs jobs that are paused because the answer does not define them. Sorted and unmodifiable
 * @param unknownJobs jobs that the answer defines and this application does not have. They have no effect here. Sorted
 *     and unmodifiable
 * @param restartNeeded true if the answer has other connection settings than the ones with which this process started
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
        /** The last accepted answer, which an earlier process has kept on disk. */
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
