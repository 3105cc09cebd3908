package io.ostraka.types;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program and all its descendants. When a process ends, the operating system forgets which processes descend from it.
 * On Linux, the tree therefore also includes all processes with the program's unique environment variable.
 */
final class ProcessTree {
    private static final Path PROCESSES = Path.of("/proc");
    /**
     * Maximum number of scans for remaining processes. One scan is not enough, because a process may start another
     * process after the scan.
     */
    private static final int LOOKS = 20;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofMillis(10);
    /** Maximum number of pauses to wait for a process that is starting a program. */
    private static final int START_LOOKS = 200;
    /** Index in the result of {@link #stat}: proc(5) counts fields from 1, and the result begins with field 3. */
    private static final int MEMORY_SIZE = 23 - 3;

    private static final int ENVIRONMENT_END = 51 - 3;

    private final ProcessHandle root;
    private final byte[] mark;
    private final Path processes;
    private final int startLooks;

    /**
     * @param root the program
     * @param mark environment variable with a value that no other program has, as {@code NAME=value}
     */
    ProcessTree(ProcessHandle root, String mark) {
        this(root, mark, PROCESSES, START_LOOKS);
    }

    /**
     * @param processes directory in which the operating system describes its processes
     * @param startLooks maximum number of pauses to wait for a process that is starting a program
     */
    ProcessTree(ProcessHandle root, String mark, Path processes, int startLooks) {
        this.root = root;
        this.mark = mark.getBytes(StandardCharsets.UTF_8);
        this.processes = processes;
        this.startLooks = startLooks;
    }

    /**
     * Terminates the processes of the tree, and kills those that still run after the grace. Cannot be interrupted.
     *
     * @return number of processes found; -1 if some could not be ended
     */
    int end(Duration grace) {
        Set<ProcessHandle> known = living();
        if (known.isEmpty()) {
            known = living(); // finds processes whose parent started them during the first scan, and then ended
        }
        if (known.isEmpty()) {
            return 0;
        }
        known.forEach(ProcessHandle::destroy);
        awaitEnd(known, grace);
        for (int look = 0; look < LOOKS; look++) {
            known.addAll(living());
            Set<ProcessHandle> left = new LinkedHashSet<>(known);
            left.removeIf(process -> !lives(process));
            if (left.isEmpty()) {
                return known.size();
            }
            left.forEach(ProcessHandle::destroyForcibly);
            awaitEnd(left, BETWEEN_LOOKS);
        }
        return -1;
    }

    /**
     * Waits until all processes have ended, by polling. The JDK itself polls a process that is not a child of this one
     * only three times a second. It also considers a zombie alive until its parent reaps it, which may never happen in
     * a container.
     */
    private static void awaitEnd(Collection<ProcessHandle> processes, Duration limit) {
        for (long looks = limit.dividedBy(PAUSE); looks > 0; looks--) {
            if (processes.stream().noneMatch(ProcessTree::lives)) {
                return;
            }
            pause();
        }
    }

    /** Waits without reacting to interruption. */
    private static void pause() {
        new CompletableFuture<Void>()
                .completeOnTimeout(null, PAUSE.toNanos(), TimeUnit.NANOSECONDS)
                .join();
    }

    private Set<ProcessHandle> living() {
        Set<ProcessHandle> all = new LinkedHashSet<>();
        Stream.concat(Stream.of(root), root.descendants()).forEach(all::add);
        addMarked(all);
        all.removeIf(process -> !lives(process));
        return all;
    }

    private void addMarked(Set<ProcessHandle> all) {
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(processes, "[0-9]*")) {
            for (Path process : directories) {
                if (marked(process)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(all::add);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // not Linux, so only descendants of running processes are known
        }
    }

    private boolean marked(Path process) {
        try {
            byte[] environment = environment(process);
            for (int from = 0, at = 0; at < environment.length; at++) {
                if (environment[at] == 0) {
                    if (Arrays.equals(environment, from, at, mark, 0, mark.length)) {
                        return true;
                    }
                    from = at + 1;
                }
            }
        } catch (IOException e) {
            // the process has ended, or belongs to another user
        }
        return false;
    }

    /**
     * Returns the environment of a process. While a process is starting a program, Linux returns no variables, although
     * the program is about to get some; this method waits for them.
     */
    private byte[] environment(Path process) throws IOException {
        byte[] environment = read(process.resolve("environ"));
        for (int looks = startLooks; environment.length == 0 && looks > 0 && startsProgram(process); looks--) {
            pause();
            environment = read(process.resolve("environ"));
        }
        return environment;
    }

    /** Returns whether a process has memory but no address of an environment yet; see {@code stat} in proc(5). */
    private static boolean startsProgram(Path process) throws IOException {
        String[] fields = stat(process).split(" ");
        return fields.length > ENVIRONMENT_END
                && !fields[MEMORY_SIZE].equals("0")
                && fields[ENVIRONMENT_END].equals("0");
    }

    /** Returns the state of a process and the numbers after it. */
    private static String stat(Path process) throws IOException {
        String stat = new String(read(process.resolve("stat")), StandardCharsets.ISO_8859_1);
        return stat.substring(stat.lastIndexOf(')') + 1).trim();
    }

    /** Reads a file without java.nio, because an interruption would abort a read with java.nio. */
    private static byte[] read(Path file) throws IOException {
        try (FileInputStream bytes = new FileInputStream(file.toFile())) {
            return bytes.readAllBytes();
        }
    }

    /** Returns whether a process is running. A zombie counts as ended. */
    static boolean lives(ProcessHandle process) {
        return process.isAlive() && !ended(process);
    }

    private static boolean ended(ProcessHandle process) {
        try {
            return stat(PROCESSES.resolve(Long.toString(process.pid()))).startsWith("Z");
        } catch (IOException e) {
            return false; // not Linux, or the process has ended: isAlive decides
        }
    }
}
