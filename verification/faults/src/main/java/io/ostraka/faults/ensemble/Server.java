package io.ostraka.faults.ensemble;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.util.ZxidUtils;
import org.jspecify.annotations.Nullable;

/** One server of an {@link Ensemble}, with its directory, its port, and while it runs, its process. Thread-safe. */
final class Server implements AutoCloseable {
    private static final int ANSWER_MILLIS = 2_000;
    private static final int PASSWORD_BYTES = 16;
    /** Length in bytes of a request for a session. */
    private static final int CONNECT_BYTES = 3 * Integer.BYTES + 2 * Long.BYTES + PASSWORD_BYTES + 1;

    /**
     * Message of a server that refuses to start. This happens if the server was killed when it had caught up with a new
     * leader but had not yet written its epoch file.
     */
    private static final Pattern EPOCH_NOT_NOTED =
            Pattern.compile("The current epoch, \\w+, is older than the last zxid, (\\d+)");

    /**
     * Status that a server reports: whether it leads, and its latest transaction. A standalone server reports that it
     * leads.
     */
    record Status(boolean leads, long zxid) {}

    private final Path directory;
    private final int port;
    private @Nullable RunningProgram process;
    private Duration perFlush = Duration.ZERO;
    /** Length of the server's log file at its last start. */
    private int said;

    private int mended;

    /**
     * Creates a server without starting it.
     *
     * @param directory directory with its {@code zoo.cfg} and its data
     */
    Server(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    Path directory() {
        return directory;
    }

    int port() {
        return port;
    }

    /** Starts the server unless it runs. */
    synchronized void start() throws IOException {
        look();
        if (process != null) {
            return;
        }
        said = Files.exists(log()) ? (int) Files.size(log()) : 0;
        process = Program.java(ServerProgram.class)
                .log(log())
                .jvm("-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .jvm("-Dorg.slf4j.simpleLogger.showDateTime=true")
                .arguments(directory.resolve("zoo.cfg"))
                .start(line -> {});
        slowDisk(perFlush);
    }

    /**
     * Checks whether the server has crashed. If it refused to start because of its epoch file, this method corrects the
     * file, as an operator would, and starts the server again.
     *
     * @throws IllegalStateException if the server has crashed for another reason
     */
    synchronized void look() throws IOException {
        if (process == null || process.isAlive()) {
            return;
        }
        byte[] whole = Files.readAllBytes(log());
        String last = new String(whole, said, whole.length - said, StandardCharsets.UTF_8);
        OptionalLong zxid = EPOCH_NOT_NOTED
                .matcher(last)
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .max();
        if (zxid.isEmpty()) {
            throw new IllegalStateException("a server has ended unexpectedly with exit code "
                    + process.onExit().join() + "; see " + log());
        }
        Path noted = directory.resolve("version-2").resolve(QuorumPeer.CURRENT_EPOCH_FILENAME);
        Files.writeString(noted, Long.toString(ZxidUtils.getEpochFromZxid(zxid.getAsLong())));
        mended++;
        process = null;
        start();
    }

    /** Returns the number of times that the server refused to start until its epoch file was corrected. */
    synchronized int mended() {
        return mended;
    }

    Path log() {
        return directory.resolve("log");
    }

    synchronized void kill() throws IOException {
        look();
        close();
    }

    synchronized void stop() {
        if (process != null) {
            process.stop();
        }
    }

    synchronized void go() {
        if (process != null) {
            process.go();
        }
    }

    synchronized void slowDisk(Duration longer) {
        perFlush = longer;
        if (process != null) {
            process.tell(Long.toString(longer.toMillis()));
        }
    }

    /** Returns whether the server process exists and is not stopped. */
    synchronized boolean isUp() {
        return process != null && !process.isStopped();
    }

    /** Asks the server for its status. Returns empty if the server does not serve. */
    Optional<Status> status() {
        return ask("srvr").flatMap(answer -> field(answer, "Mode: ")
                .filter(Set.of("leader", "follower", "standalone")::contains)
                .map(mode -> new Status(
                        !mode.equals("follower"),
                        field(answer, "Zxid: ").map(Long::decode).orElseThrow())));
    }

    /** Asks for the paths of all ephemeral nodes. Returns empty if the server does not answer. */
    Optional<Set<String>> ephemerals() {
        return ask("dump").map(answer -> answer.lines()
                .filter(line -> line.startsWith("\t/"))
                .map(String::strip)
                .collect(Collectors.toSet()));
    }

    /**
     * Requests a session and closes it. Returns whether the session was granted, which requires the agreement of a
     * majority of the servers.
     */
    boolean givesSession() {
        if (!isUp()) {
            return false;
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(ANSWER_MILLIS);
            var out = new DataOutputStream(socket.getOutputStream());
            var in = new DataInputStream(socket.getInputStream());
            var request = ByteBuffer.allocate(Integer.BYTES + CONNECT_BYTES)
                    .putInt(CONNECT_BYTES)
                    .putInt(0) // protocol version
                    .putLong(0) // last zxid seen
                    .putInt(ANSWER_MILLIS) // session timeout, which matters only if the session is not closed
                    .putLong(0) // session id
                    .putInt(PASSWORD_BYTES);
            out.write(request.array()); // the rest is zeros: an ignored password, and the flag "read-only"
            in.readInt();
            in.readInt();
            in.readInt();
            boolean given = in.readLong() != 0;
            in.readFully(new byte[in.readInt()]);
            in.readBoolean();
            out.write(ByteBuffer.allocate(3 * Integer.BYTES)
                    .putInt(2 * Integer.BYTES)
                    .putInt(1)
                    .putInt(ZooDefs.OpCode.closeSession)
                    .array());
            in.readInt();
            return given;
        } catch (IOException e) {
            return false;
        }
    }

    private Optional<String> ask(String word) {
        if (!isUp()) {
            return Optional.empty();
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return Optional.of(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> field(String answer, String name) {
        return answer.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst();
    }

    @Override
    public synchronized void close() {
        if (process != null) {
            process.kill();
            process = null;
        }
    }
}
