package io.ostraka.testkit.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The processes of a running PostgreSQL server: a parent, and one child for each connection and background task. */
final class PostgreSqlProcess {
    private static final String READY = "database system is ready to accept connections";

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Process parent;

    private PostgreSqlProcess(Process parent) {
        this.parent = parent;
    }

    /** Starts the server and returns when it accepts connections. */
    static PostgreSqlProcess start(PostgreSqlPrograms programs, Path home, int port) throws IOException {
        Process parent = programs.start(
                home,
                "postgres",
                "-p",
                "" + port,
                "-k",
                home.toString(),
                "-c",
                "listen_addresses=" + InetAddress.getLoopbackAddress().getHostAddress(),
                "-c",
                "fsync=off", // data need not survive a crash of the machine
                "-c",
                "max_wal_size=64MB",
                "-c",
                "min_wal_size=32MB");
        BufferedReader output = parent.inputReader();
        var said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.contains(READY)) {
                var drain = new Thread(() -> output.lines().forEach(later -> {}), "output of PostgreSQL");
                drain.setDaemon(true);
                drain.setUncaughtExceptionHandler((thread, e) -> {}); // the output ends with the server
                drain.start();
                return new PostgreSqlProcess(parent);
            }
            said.append(line).append('\n');
        }
        throw new IOException("PostgreSQL has ended instead of accepting connections:\n" + said);
    }

    boolean isAlive() {
        return parent.isAlive();
    }

    /** Kills all processes. Kills the parent first, so that it cannot start another child. */
    void kill() {
        Set<ProcessHandle> children = new LinkedHashSet<>(parent.descendants().toList());
        parent.destroyForcibly().onExit().join();
        children.forEach(ProcessHandle::destroyForcibly);
        while (children.stream().anyMatch(ProcessHandle::isAlive)) { // onExit() looks only every few seconds
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Sends a signal to all processes, starting with the parent. */
    void signal(String name) {
        signal(name, List.of(parent.toHandle()));
        signal(name, parent.descendants().toList());
    }

    private static void signal(String name, List<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(each -> command.add(Long.toString(each.pid())));
        if (processes.isEmpty()) {
            return;
        }
        try {
            // The result does not matter, because a child may have ended meanwhile.
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new IllegalStateException("the command 'kill' does not start", e);
        }
    }
}
