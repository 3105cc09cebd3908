package io.ostraka.lite;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.event.EventSubscriber;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Adds to a process what needs {@link Powers}: types of jobs that run no Java code, and destinations outside of the
 * process. {@link ServiceLoader} finds the extension of the module {@code ostraka-job-types}. For modules of this library
 * only. Thread-safe.
 */
public interface ProcessExtension {
    /**
     * Creates the parts of one process. They start no thread and open no connection before the engine uses them. The
     * builder also calls this method to check its settings, and discards the result without closing it.
     *
     * @throws IllegalArgumentException if a host, a target or a template is not accepted
     */
    Parts create(Powers powers);

    /** What an extension adds to one process. */
    interface Parts {
        /** Returns executors of further job types. */
        default List<JobItemExecutor<?>> jobItemExecutors() {
            return List.of();
        }

        /** Returns further handlers of failed runs. */
        default List<JobErrorHandler> errorHandlers() {
            return List.of();
        }

        /** Returns further receivers of alarms. */
        default List<AlarmHandler> alarmHandlers() {
            return List.of();
        }

        /** Returns further subscribers to the events of the instance. */
        default List<EventSubscriber> eventSubscribers() {
            return List.of();
        }

        /**
         * Ends the threads of these parts, after all runs have ended.
         *
         * @param timeLeft returns the time that is left for the shutdown
         * @return descriptions of what could not be sent, for the log
         */
        default List<String> close(Supplier<Duration> timeLeft) {
            return List.of();
        }
    }

    /** Returns the extension that is on the class path. */
    static Optional<ProcessExtension> found() {
        return ServiceLoader.load(ProcessExtension.class, ProcessExtension.class.getClassLoader())
                .findFirst();
    }

    /**
     * Creates the parts that an application has allowed.
     *
     * @throws IllegalArgumentException if a host, a target or a template is not accepted
     * @throws IllegalStateException if a power is granted and no extension is on the class path; the message names the
     *     artifact of the extension
     */
    static Parts parts(Powers powers) {
        return found().map(extension -> extension.create(powers)).orElseGet(() -> {
            if (!powers.granted().isEmpty()) {
                throw new IllegalStateException("the class path does not have the artifact"
                        + " io.ostraka:ostraka-job-types, which the registry needs for "
                        + String.join(", ", powers.granted()) + "; add this dependency, or remove these settings");
            }
            return new Parts() {};
        });
    }
}
