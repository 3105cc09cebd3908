package io.ostraka.lite.scenario;

import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.TcpProxy;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** Three ZooKeeper servers in separate processes; tests can block the connections between them. */
final class Ensemble implements AutoCloseable {
    private static final int SERVERS = 3;

    private final Path directory;
    private final int[] clientPorts = new int[SERVERS];
    private final int[] quorumPorts = new int[SERVERS];
    private final int[] electionPorts = new int[SERVERS];
    /**
     * Proxies between the servers. Each proxy waits until its server listens, because otherwise a follower would give
     * up its leader.
     */
    private final TcpProxy[][] links = new TcpProxy[SERVERS][SERVERS];

    private final RunningProgram[] processes = new RunningProgram[SERVERS];

    /** Starts all servers, and waits until they serve. */
    Ensemble(Path directory) throws IOException {
        this.directory = directory;
        List<ServerSocket> taken = new ArrayList<>();
        for (int[] ports : List.of(clientPorts, quorumPorts, electionPorts)) {
            for (int server = 0; server < SERVERS; server++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                taken.add(socket);
                ports[server] = socket.getLocalPort();
            }
        }
        for (int from = 0; from < SERVERS; from++) {
            for (int to = 0; to < SERVERS; to++) {
                links[from][to] = new TcpProxy(quorumPorts[to], Duration.ofSeconds(5));
            }
        }
        for (ServerSocket socket : taken) {
            socket.close();
        }
        for (int server = 0; server < SERVERS; server++) {
            start(server);
        }
        for (int server = 0; server < SERVERS; server++) {
            awaitServing(server);
        }
    }

    /** Starts a server and returns at once. */
    void start(int server) throws IOException {
        Path home = Files.createDirectories(directory.resolve("server-" + server));
        Files.writeString(home.resolve("myid"), Integer.toString(server + 1));
        List<String> settings = new ArrayList<>(List.of(
                "dataDir=" + home,
                "clientPort=" + clientPorts[server],
                "clientPortAddress=127.0.0.1",
                "tickTime=500",
                "initLimit=40",
                // an isolated follower continues to answer its clients for this many ticks
                "syncLimit=100",
                "maxSessionTimeout=60000",
                "maxClientCnxns=200",
                "admin.enableServer=false",
                "4lw.commands.whitelist=srvr"));
        for (int other = 0; other < SERVERS; other++) {
            int quorumPort = other == server ? quorumPorts[other] : links[server][other].port();
            settings.add("server." + (other + 1) + "=127.0.0.1:" + quorumPort + ":" + electionPorts[other]);
        }
        Path configuration = Files.write(home.resolve("zoo.cfg"), settings);
        processes[server] = Program.java(QuorumPeerMain.class)
                .jvm("-Xmx64m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .arguments(configuration)
                .log(home.resolve("log"))
                .start();
    }

    /** Kills a server. */
    void kill(int server) {
        processes[server].kill();
    }

    void awaitServing(int server) {
        Eventually.holds("server " + server + " to serve, see " + directory, () -> mode(clientPorts[server])
                .matches("leader|follower"));
    }

    /** Waits until a server leads, and returns it. */
    int awaitLeader() {
        Eventually.holds("a leader, see " + directory, () -> leader().isPresent());
        return leader().orElseThrow();
    }

    private OptionalInt leader() {
        return IntStream.range(0, SERVERS)
                .filter(server -> mode(clientPorts[server]).equals("leader"))
                .findFirst();
    }

    /** Blocks all traffic between two servers, in both directions. */
    void part(int one, int other) {
        for (TcpProxy link : List.of(links[one][other], links[other][one])) {
            link.hold(Direction.TO_SERVER);
            link.hold(Direction.TO_CLIENT);
        }
    }

    /** Unblocks all connections. */
    void heal() {
        for (TcpProxy[] from : links) {
            for (TcpProxy link : from) {
                link.heal();
            }
        }
    }

    /** Returns the connect string of one server. */
    String server(int server) {
        return "127.0.0.1:" + clientPorts[server];
    }

    /** Returns the connect string of all servers. */
    String servers() {
        return IntStream.range(0, SERVERS).mapToObj(this::server).collect(Collectors.joining(","));
    }

    /** Returns the mode that the server at a port reports; empty text if it does not serve. */
    static String mode(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(2_000);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        for (int server = 0; server < SERVERS; server++) {
            if (processes[server] != null) {
                kill(server);
            }
        }
        for (TcpProxy[] from : links) {
            for (TcpProxy link : from) {
                link.close();
            }
        }
    }
}
