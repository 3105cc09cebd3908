package io.ostraka.faults.soak;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the stalls of this machine: the time by which a thread wakes up late, or a write of one byte reaches the
 * disk late. A stall of all processes is a fault that the plan does not contain.
 */
final class MachineProbe implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final LongSupplier nanoTime;
    private final Thread thread;
    private final FileChannel file;

    /** Time of the last measurement. */
    private final AtomicLong seen;

    private final AtomicLong longest = new AtomicLong();

    private volatile @Nullable IOException failure;

    MachineProbe(Path directory, LongSupplier nanoTime) throws IOException {
        this.nanoTime = nanoTime;
        this.seen = new AtomicLong(nanoTime.getAsLong());
        this.file = FileChannel.open(directory.resolve("probe"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        this.thread = new Thread(this::measure, "machine-probe");
        thread.setDaemon(true);
    }

    /** Starts to measure, with a file in the directory. */
    static MachineProbe start(Path directory) throws IOException {
        MachineProbe probe = new MachineProbe(directory, System::nanoTime);
        probe.thread.start();
        return probe;
    }

    private void measure() {
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
                file.write(ByteBuffer.allocate(1), 0);
                file.force(false);
                step();
            }
        } catch (InterruptedException | ClosedByInterruptException e) {
            // the soak has ended
        } catch (IOException e) {
            failure = e;
        }
    }

    private void step() {
        long now = nanoTime.getAsLong();
        long late = now - seen.getAndSet(now) - PAUSE.toNanos();
        longest.accumulateAndGet(late, Math::max);
    }

    /**
     * Returns the longest stall since the last call, or since the start. A stall that has not ended counts, too.
     *
     * @throws IOException if the file cannot be written
     */
    Duration longestStall() throws IOException {
        IOException failed = failure;
        if (failed != null) {
            throw new IOException("the stalls of the machine are not measured", failed);
        }
        step();
        return Duration.ofNanos(Math.max(0, longest.getAndSet(0)));
    }

    @Override
    public void close() throws IOException {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        file.close();
    }
}
