package io.ostraka.bench;

import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Limits a process to a share of one processor until it is closed. Uses a quota of a control group if this process may
 * create one. Otherwise, it stops and continues the process by signals: in each tenth of a second, the process runs only
 * for its share.
 */
final class CpuLimit implements AutoCloseable {
    private static final Duration CYCLE = Duration.ofMillis(100);
    private static final Path VERSION_1 = Path.of("/sys/fs/cgroup/cpu");
    private static final Path VERSION_2 = Path.of("/sys/fs/cgroup");

    private final String how;
    private final Runnable end;

    private CpuLimit(String how, Runnable end) {
        this.how = how;
        this.end = end;
    }

    /** Limits a process. A share of 0.2 is a fifth of one processor. */
    static CpuLimit of(RunningProgram process, double share) {
        try {
            boolean first = Files.exists(VERSION_1.resolve("cpu.cfs_quota_us"));
            return group(first ? VERSION_1 : VERSION_2, process.pid(), share, first);
        } catch (IOException e) {
            return signals(process, share);
        }
    }

    private static CpuLimit group(Path root, long pid, double share, boolean version1) throws IOException {
        Path group = Files.createDirectory(root.resolve("ostraka-bench-" + pid));
        long cycle = CYCLE.toNanos() / 1000;
        long quota = (long) (share * cycle);
        try {
            if (version1) {
                Files.writeString(group.resolve("cpu.cfs_period_us"), Long.toString(cycle));
                Files.writeString(group.resolve("cpu.cfs_quota_us"), Long.toString(quota));
            } else {
                Files.writeString(group.resolve("cpu.max"), quota + " " + cycle);
            }
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
        } catch (IOException e) {
            Files.delete(group);
            throw e;
        }
        return new CpuLimit("quota of a control group", () -> {
            try {
                Files.writeString(root.resolve("cgroup.procs"), Long.toString(pid));
                Files.delete(group);
            } catch (IOException e) {
                throw new IllegalStateException("the limit cannot be lifted", e);
            }
        });
    }

    private static CpuLimit signals(RunningProgram process, double share) {
        Thread cycles = new Thread(() -> {
            try {
                while (true) {
                    Thread.sleep((long) (CYCLE.toMillis() * share));
                    process.stop();
                    Thread.sleep((long) (CYCLE.toMillis() * (1 - share)));
                    process.go();
                }
            } catch (InterruptedException e) {
                process.go();
            }
        });
        cycles.setDaemon(true);
        cycles.start();
        return new CpuLimit("SIGSTOP and SIGCONT in turn", () -> {
            cycles.interrupt();
            try {
                cycles.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns the means by which the process is limited. */
    String how() {
        return how;
    }

    @Override
    public void close() {
        end.run();
    }
}
