package io.ostraka.bench;

import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ZooKeeper server that all entrants of a run share. It runs in a process of its own and has its own statistics.
 */
final class Server implements AutoCloseable {
    private final RunningProgram process;
    private final int port;
    private long asked;

    Server(Jvm jvm, Path directory) throws IOException {
        process = jvm.program(Program.class).arguments(directory).start();
        port = Integer.parseInt(process.readUntil(""));
    }

    String servers() {
        return "127.0.0.1:" + port;
    }

    /**
     * Returns the number of packets that clients have sent so far, including heartbeats, but not the status requests of
     * this class.
     */
    long requests() {
        return ask("zk_packets_received") - asked;
    }

    long ephemerals() {
        return ask("zk_ephemerals_count");
    }

    /** Returns the number of nodes, including the server's own. */
    long nodes() {
        return ask("zk_znode_count");
    }

    long watches() {
        return ask("zk_watch_count");
    }

    /**
     * Returns the CPU time of the server's process so far, in milliseconds. The operating system counts it in steps of
     * ten.
     */
    long cpuMillis() {
        return Race.cpuMillis(process);
    }

    private long ask(String what) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            socket.shutdownOutput();
            String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher value = Pattern.compile(what + "\\s+(\\d+)").matcher(all);
            if (!value.find()) {
                throw new IllegalStateException("the server doesn't say its " + what);
            }
            asked++;
            return Long.parseLong(value.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException("the server says nothing of itself", e);
        }
    }

    @Override
    public void close() {
        process.close();
    }

    /** The program of the server's process. It prints its port, and serves until its standard input ends. */
    static final class Program {
        private Program() {}

        /** Runs the server. The only argument is an empty directory. */
        public static void main(String[] arguments) throws IOException {
            PrintStream out = System.out;
            out.println(EmbeddedZooKeeper.start(Path.of(arguments[0]), 0).port());
            while (System.in.read() >= 0) {
                // no input is expected
            }
            Runtime.getRuntime().halt(0);
        }
    }
}
