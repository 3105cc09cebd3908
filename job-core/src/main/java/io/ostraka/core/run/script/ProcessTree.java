package io.ostraka.core.run.script;

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
 * A program and everything that it has started. The system tells who is whose child, but forgets it once a parent has ended;
 * so on Linux those are looked for, too, whose environment has the mark that the program was given.
 */
final class ProcessTree {
    private static final Path PROCESSES = Path.of("/proc");
    /** Between two looks a process may have started another: it is looked again until none is left, so many times. */
    private static final int LOOKS = 20;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final ProcessHandle root;
    private final byte[] mark;

    /**
     * @param root the program
     * @param mark a variable of its environment, with its value, that no other program has
     */
    ProcessTree(ProcessHandle root, String mark) {
        this.root = root;
        this.mark = mark.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Ends what is left of it: all are told to, and killed if they still run after the grace. Not to be interrupted.
     *
     * @return how many there were; fewer than none if some could not be ended
     */
    int end(Duration grace) {
        Set<ProcessHandle> known = living();
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
     * Waits until none lives. The JDK's own watch over processes that are not its children looks three times a second, and
     * takes one that has ended for living until its parent has noticed, which in a container may be never.
     */
    private static void awaitEnd(Collection<ProcessHandle> processes, Duration limit) {
        for (long looks = limit.dividedBy(PAUSE); looks > 0; looks--) {
            if (processes.stream().noneMatch(ProcessTree::lives)) {
                return;
            }
            new CompletableFuture<Void>()
                    .completeOnTimeout(null, PAUSE.toNanos(), TimeUnit.NANOSECONDS)
                    .join(); // which an interruption doesn't end
        }
    }

    private Set<ProcessHandle> living() {
        Set<ProcessHandle> all = new LinkedHashSet<>();
        Stream.concat(Stream.of(root), root.descendants()).forEach(all::add);
        addMarked(all);
        all.removeIf(process -> !lives(process));
        return all;
    }

    private void addMarked(Set<ProcessHandle> all) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : processes) {
                if (marked(process)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(all::add);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // no Linux: parents alone tell
        }
    }

    private boolean marked(Path process) {
        try {
            byte[] environment = read(process.resolve("environ"));
            for (int from = 0, at = 0; at < environment.length; at++) {
                if (environment[at] == 0) {
                    if (Arrays.equals(environment, from, at, mark, 0, mark.length)) {
                        return true;
                    }
                    from = at + 1;
                }
            }
        } catch (IOException e) {
            // it has ended, or is another user's
        }
        return false;
    }

    /** Reads as nothing of java.nio does: an interruption doesn't hinder it. */
    private static byte[] read(Path file) throws IOException {
        try (FileInputStream bytes = new FileInputStream(file.toFile())) {
            return bytes.readAllBytes();
        }
    }

    /** Tells whether it runs; one that has ended and whose parent has not noticed doesn't. */
    static boolean lives(ProcessHandle process) {
        return process.isAlive() && !ended(process);
    }

    private static boolean ended(ProcessHandle process) {
        try {
            String status = new String(read(PROCESSES.resolve(process.pid() + "/stat")), StandardCharsets.ISO_8859_1);
            return status.startsWith(") Z", status.lastIndexOf(')'));
        } catch (IOException e) {
            return false; // no Linux, or it is gone: isAlive tells
        }
    }
}
