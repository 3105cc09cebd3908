package io.ostraka.types;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads the output of a program as fast as it is written, and keeps the last bytes. */
final class OutputTail {
    private final InputStream output;
    private final byte[] ring;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private long count;

    /**
     * @param kept number of bytes to keep
     */
    OutputTail(InputStream output, int kept) {
        this.output = output;
        this.ring = new byte[kept];
    }

    /** Reads until the output ends. Blocks the calling thread. */
    void read() {
        byte[] buffer = new byte[8192];
        try (InputStream all = output) {
            for (int read = all.read(buffer); read >= 0; read = all.read(buffer)) {
                keep(buffer, read);
            }
        } catch (IOException e) {
            // closed because the program has ended
        } finally {
            ended.complete(null);
        }
    }

    private synchronized void keep(byte[] buffer, int length) {
        for (int i = Math.max(0, length - ring.length); i < length; i++) {
            ring[(int) ((count + i) % ring.length)] = buffer[i];
        }
        count += length;
    }

    /**
     * Returns the last bytes of the output.
     *
     * @param patience time to wait for the end of the output
     */
    byte[] bytes(Duration patience) {
        ended.copy()
                .completeOnTimeout(null, patience.toNanos(), TimeUnit.NANOSECONDS)
                .join();
        synchronized (this) {
            int length = (int) Math.min(count, ring.length);
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = ring[(int) ((count - length + i) % ring.length)];
            }
            return bytes;
        }
    }
}
