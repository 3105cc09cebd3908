package io.ostraka.faults.ensemble;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs ZooKeeper servers on the loopback interface, three by default. Each server is a process that can be killed,
 * stopped, started and slowed down. Committed transactions survive the death of processes, but not a crash of the
 * machine, because the servers do not force data to disk. All transaction logs are kept from the beginning.
 * Thread-safe.
 */
public final class Ensemble implements AutoCloseable {
    /** ZooKeeper's tick. The shortest session timeout is twice as long. */
    public static final Duration TICK = Duration.ofMillis(200);

    /** Default number of servers. */
    public static final int SERVERS = 3;

    private static final int ATTEMPTS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PAUSE_MILLIS = 50;

    /**
     * Lowest port that a server may get. All ports of servers are below the range of ephemeral ports, so that no
     * outgoing connection takes the port of a server that is down.
     */
    private static final int FIRST_PORT = 15_000;

    private static final int END_OF_PORTS = 32_000;

    private final List<Server> servers;

    private Ensemble(List<Server> servers) {
        this.servers = List.copyOf(servers);
    }

    /**
     * Starts three servers. Returns when they serve clients.
     *
     * @param directory directory for their files; empty or absent
     */
    public static Ensemble start(Path directory) throws IOException {
        return start(directory, SERVERS);
    }

    /**
     * Starts the given number of servers. Returns when they serve clients.
     *
     * @param size 1 for a standalone server, or another odd number
     */
    public static Ensemble start(Path directory, int size) throws IOException {
        if (size < 1 || size % 2 == 0) {
            throw new IllegalArgumentException("an ensemble of " + size + " servers: the size must be an odd number");
        }
        for (int attempt = 1; ; attempt++) {
            Ensemble ensemble = new Ensemble(configure(directory.resolve("ensemble-" + attempt), size));
            try {
                for (Server server : ensemble.servers) {
                    server.start();
                }
                ensemble.awaitServing();
                return ensemble;
            } catch (IOException | RuntimeException e) {
                ensemble.close();
                if (attempt == ATTEMPTS) {
                    throw e;
                } // another process has taken one of the ports
            }
        }
    }

    private static List<Server> configure(Path directory, int size) throws IOException {
        List<Integer> ports = freePorts(3 * size);
        List<Server> servers = new ArrayList<>();
        for (int server = 0; server < size; server++) {
            Path home = Files.createDirectories(directory.resolve("server-" + server));
            Files.writeString(home.resolve("myid"), Integer.toString(server + 1));
            List<String> settings = new ArrayList<>(List.of(
                    "dataDir=" + home,
                    "clientPort=" + ports.get(server),
                    "clientPortAddress=127.0.0.1",
                    "tickTime=" + TICK.toMillis(),
                    "initLimit=50",
                    "syncLimit=10",
                    "maxSessionTimeout=60000",
                    "maxClientCnxns=0",
                    "admin.enableServer=false",
                    "4lw.commands.whitelist=srvr,dump",
                    "forceSync=no",
                    "snapCount=10000000", // few snapshots, because the tests read the logs
                    "preAllocSize=1024"));
            for (int other = 0; other < size && size > 1; other++) {
                settings.add("server." + (other + 1) + "=127.0.0.1:" + ports.get(size + other) + ":"
                        + ports.get(2 * size + other));
            }
            Files.write(home.resolve("zoo.cfg"), settings);
            servers.add(new Server(home, ports.get(server)));
        }
        return servers;
    }

    private static List<Integer> freePorts(int number) {
        Set<Integer> ports = new HashSet<>();
        while (ports.size() < number) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                ports.add(port);
            } catch (IOException e) {
                // the port is taken; try another
            }
        }
        return List.copyOf(ports);
    }

    /** Returns the number of servers. */
    public int size() {
        return servers.size();
    }

    /** Returns the connect string for all servers. */
    public String servers() {
        return IntStream.range(0, size()).mapToObj(this::server).collect(Collectors.joining(","));
    }

    /** Returns the connect string for one server. */
    public String server(int server) {
        return "127.0.0.1:" + port(server);
    }

    /** Returns the client port of one server. */
    public int port(int server) {
        return servers.get(server).port();
    }

    /** Kills a server with SIGKILL. Returns when it has ended. */
    public void kill(int server) {
        carryOut(servers.get(server)::kill);
    }

    /** Starts a server that was killed, and returns at once. */
    public void start(int server) {
        carryOut(servers.get(server)::start);
    }

    /** Stops a server with SIGSTOP. Does nothing if the server was killed. */
    public void stop(int server) {
        servers.get(server).stop();
    }

    /** Continues a stopped server with SIGCONT. */
    public void go(int server) {
        servers.get(server).go();
    }

    /**
     * Slows down a server's disk. The disk stays slow when the server restarts.
     *
     * @param perFlush additional time that each flush of the server's log takes, including a flush that is under way;
     *     zero restores the normal speed
     */
    public void slowDisk(int server, Duration perFlush) {
        servers.get(server).slowDisk(perFlush);
    }

    /** Continues stopped servers, starts killed servers, and restores the normal speed of all servers. */
    public void heal() {
        for (int server = 0; server < size(); server++) {
            go(server);
            start(server);
            slowDisk(server, Duration.ZERO);
        }
    }

    /**
     * Returns the leader. Returns empty if no server reports that it leads. A former leader that has just continued
     * after a stop may still report this.
     */
    public OptionalInt leader() {
        record Leader(int server, long epoch) {}
        return IntStream.range(0, size())
                .boxed()
                .flatMap(server -> servers
                        .get(server)
                        .status()
                        .filter(Server.Status::leads)
                        .map(status -> new Leader(server, status.zxid() >>> Integer.SIZE))
                        .stream())
                .max(Comparator.comparingLong(Leader::epoch))
                .map(leader -> OptionalInt.of(leader.server()))
                .orElse(OptionalInt.empty());
    }

    /** Returns the paths of all ephemeral nodes that the leader reports; empty if it does not answer. */
    public Optional<Set<String>> ephemerals() {
        OptionalInt leader = leader();
        return leader.isEmpty()
                ? Optional.empty()
                : servers.get(leader.getAsInt()).ephemerals();
    }

    /** Waits for a leader and returns it. */
    public int awaitLeader() {
        await(() -> leader().isPresent());
        return leader().orElseGet(this::awaitLeader);
    }

    /**
     * Waits until every server that is neither killed nor stopped serves.
     *
     * @throws IllegalStateException if that takes more than two minutes, or a server has crashed; the message names the
     *     servers' logs
     */
    public void awaitServing() {
        await(this::serves);
    }

    /**
     * Waits until a majority of the servers serves. From then on, clients are served even if the other servers do not
     * serve yet.
     */
    public void awaitMajority() {
        await(this::agrees);
    }

    /**
     * Returns whether a majority of the servers can agree. The leader must grant a session, because a server that has
     * just continued after a stop may wrongly report that it leads.
     */
    private boolean agrees() {
        OptionalInt leader = leader();
        return leader.isPresent() && servers.get(leader.getAsInt()).givesSession();
    }

    private boolean serves() {
        return agrees()
                && servers.stream()
                        .allMatch(server -> !server.isUp() || server.status().isPresent());
    }

    /**
     * Returns the number of times that a server refused to start because it had been killed before it wrote its epoch
     * file. The file was corrected each time.
     */
    public int mended() {
        return servers.stream().mapToInt(Server::mended).sum();
    }

    /** An operation on a server's process or files. */
    private interface Deed {
        void carryOut() throws IOException;
    }

    private static void carryOut(Deed deed) {
        try {
            deed.carryOut();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(BooleanSupplier holds) {
        long begun = System.nanoTime();
        while (!holds.getAsBoolean()) {
            servers.forEach(server -> carryOut(server::look));
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new IllegalStateException("the ensemble does not serve after " + PATIENCE.toSeconds() + " s; see "
                        + servers.get(0).directory().getParent());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for the ensemble", e);
            }
        }
    }

    /**
     * Reads the logs of all servers. All servers should be serving meanwhile, and should receive no requests.
     *
     * @throws IllegalStateException if the logs are inconsistent, or a server has crashed
     */
    public TransactionLogs transactionLogs() throws IOException {
        for (Server server : servers) {
            server.look();
        }
        return TransactionLogs.read(servers.stream().map(Server::directory).toList());
    }

    /** Kills all servers. Their files remain. */
    @Override
    public void close() {
        servers.forEach(Server::close);
    }
}
