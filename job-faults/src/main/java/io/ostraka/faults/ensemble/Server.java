package io.ostraka.faults.ensemble;

import io.ostraka.faults.process.JavaProcess;
import io.ostraka.faults.process.Program;
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

/** One place in an {@link Ensemble}: a server's directory and port, and its process while it has one. Thread-safe. */
final class Server implements AutoCloseable {
    private static final int ANSWER_MILLIS = 2_000;
    private static final int PASSWORD_BYTES = 16;
    /** How long a request for a session is. */
    private static final int CONNECT_BYTES = 3 * Integer.BYTES + 2 * Long.BYTES + PASSWORD_BYTES + 1;

    /** What a server says that was killed after it had caught up with a new leader, and before it had noted its epoch. */
    private static final Pattern EPOCH_NOT_NOTED =
            Pattern.compile("The current epoch, \\w+, is older than the last zxid, (\\d+)");

    /** What a server says it is, one that is alone leads itself, and the latest transaction that it has carried out. */
    record Status(boolean leads, long zxid) {}

    private final Path directory;
    private final int port;
    private @Nullable JavaProcess process;
    private Duration perFlush = Duration.ZERO;
    /** How long its log was when it was last started. */
    private int said;

    private int mended;

    /**
     * A server that is not started yet.
     *
     * @param directory holds its {@code zoo.cfg} and its data
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

    /** Starts it unless it runs. */
    synchronized void start() throws IOException {
        look();
        if (process != null) {
            return;
        }
        said = Files.exists(log()) ? (int) Files.size(log()) : 0;
        process = Program.of(ServerProgram.class, log())
                .jvm("-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .jvm("-Dorg.slf4j.simpleLogger.showDateTime=true")
                .arguments(directory.resolve("zoo.cfg"))
                .start(line -> {});
        slowDisk(perFlush);
    }

    /**
     * Looks whether it has ended though nobody killed it. If it doesn't start without an epoch, that is noted for it, as
     * operators do, and it is started again.
     *
     * @throws IllegalStateException when it has ended for anything else
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
            throw new IllegalStateException(
                    "a server has ended by itself, with " + process.onExit().join() + "; see " + log());
        }
        Path noted = directory.resolve("version-2").resolve(QuorumPeer.CURRENT_EPOCH_FILENAME);
        Files.writeString(noted, Long.toString(ZxidUtils.getEpochFromZxid(zxid.getAsLong())));
        mended++;
        process = null;
        start();
    }

    /** Returns how often it refused to start until its epoch was noted for it. */
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

    /** Whether it is neither killed nor stopped. */
    synchronized boolean isUp() {
        return process != null && !process.isStopped();
    }

    /** Asks whether and how it serves; empty when it doesn't. */
    Optional<Status> status() {
        return ask("srvr").flatMap(answer -> field(answer, "Mode: ")
                .filter(Set.of("leader", "follower", "standalone")::contains)
                .map(mode -> new Status(
                        !mode.equals("follower"),
                        field(answer, "Zxid: ").map(Long::decode).orElseThrow())));
    }

    /** Asks for the paths of all ephemeral nodes; empty when it doesn't answer. */
    Optional<Set<String>> ephemerals() {
        return ask("dump").map(answer -> answer.lines()
                .filter(line -> line.startsWith("\t/"))
                .map(String::strip)
                .collect(Collectors.toSet()));
    }

    /** Asks for a session, to which a majority of the servers has to agree; tells whether there is one. It is closed again. */
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
                    .putInt(0) // the protocol's version
                    .putLong(0) // nothing seen yet
                    .putInt(ANSWER_MILLIS) // should it not be closed
                    .putLong(0) // a new session
                    .putInt(PASSWORD_BYTES);
            out.write(request.array()); // of a new session's password nothing is read, and it may write
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
