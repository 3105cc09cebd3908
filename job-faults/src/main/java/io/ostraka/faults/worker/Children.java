package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import io.ostraka.core.time.Clock;
import io.ostraka.faults.history.Event;
import org.jspecify.annotations.Nullable;

/** Records the code of runs that have child tasks, and these, each from its begin until all was told of its end. Thread-safe. */
final class Children {
    private final String process;
    private final Clock clock;
    private final EventLog log;

    Children(String process, Clock clock, EventLog log) {
        this.process = process;
        this.clock = clock;
        this.log = log;
    }

    /** Records the own code of a run that has child tasks. */
    void own(ShardingContext context, Recorder.Code<?> code) throws Exception {
        Child own = new Child(context, 0, null, code);
        boolean failed = true;
        try {
            own.call();
            failed = false;
        } finally {
            own.over(failed);
        }
    }

    /**
     * Makes a child task that is recorded.
     *
     * @param number by the order of submission, from 1
     */
    Tasks.Task<?> child(ShardingContext context, int number, @Nullable String key, Recorder.Code<?> code) {
        return new Child(context, number, key, code);
    }

    /** A piece of a run's code, from its begin until all was told of its end; on one thread. */
    private final class Child implements Tasks.Task<Object> {
        private final ShardingContext context;
        private final int number;
        private final @Nullable String key;
        private final Recorder.Code<?> code;
        private boolean begun;
        private boolean failed;

        Child(ShardingContext context, int number, @Nullable String key, Recorder.Code<?> code) {
            this.context = context;
            this.number = number;
            this.key = key;
            this.code = code;
        }

        private void record(boolean over) {
            log.append(new Event.Task(clock.now(), process, Recorder.key(context), number, key, over, failed));
        }

        void over(boolean failure) {
            failed |= failure;
            record(true);
        }

        @Override
        public Object call() throws Exception {
            begun = true;
            record(false);
            return code.run();
        }

        @Override
        public void failed(Throwable failure) {
            failed = true;
        }

        @Override
        public void timedOut(boolean cancelled) {
            failed = true;
        }

        @Override
        public void completed() {
            if (begun) {
                over(failed);
            }
        }
    }
}
