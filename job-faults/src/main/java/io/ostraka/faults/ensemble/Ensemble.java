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
 * Servers of ZooKeeper on loopback, three unless it is said otherwise and a process each, that are killed, stopped, started and slowed on command. What
 * was committed survives the death of processes, not that of the machine: nothing is forced to disk. All logs of
 * transactions are kept, from the first on. Thread-safe.
 */
public final class Ensemble implements AutoCloseable {
    /** The unit of ZooKeeper's time; sessions last at least twice as long. */
    public static final Duration TICK = Duration.ofMillis(200);

    /** How many servers there are unless somebody says otherwise. */
    public static final int SERVERS = 3;

    private static final int ATTEMPTS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PAUSE_MILLIS = 50;

    /** Below what systems give to outgoing connections, so that none takes the port of a server that is down. */
    private static final int FIRST_PORT = 15_000;

    private static final int END_OF_PORTS = 32_000;

    private final List<Server> servers;

    private Ensemble(List<Server> servers) {
        this.servers = List.copyOf(servers);
    }

    /**
     * Starts three servers; returns when they serve.
     *
     * @param directory for what they write; empty or absent
     */
    public static Ensemble start(Path directory) throws IOException {
        return start(directory, SERVERS);
    }

    /**
     * The same with as many servers as are wanted.
     *
     * @param size one, which is alone and has no others to agree with, or an odd number of them
     */
    public static Ensemble start(Path directory, int size) throws IOException {
        if (size < 1 || size % 2 == 0) {
            throw new IllegalArgumentException("an ensemble of " + size + " servers: must be an odd number of them");
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
                } // somebody else has taken one of the ports
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
                    "snapCount=10000000", // few snapshots: it is the logs that are read
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
                // taken: another will do
            }
        }
        return List.copyOf(ports);
    }

    /** Returns how many servers there are. */
    public int size() {
        return servers.size();
    }

    /** Returns what a client of all servers connects to. */
    public String servers() {
        return IntStream.range(0, size()).mapToObj(this::server).collect(Collectors.joining(","));
    }

    /** Returns what a client of one server connects to. */
    public String server(int server) {
        return "127.0.0.1:" + port(server);
    }

    /** Returns where one server listens for clients. */
    public int port(int server) {
        return servers.get(server).port();
    }

    /** Kills a server, with SIGKILL. Returns when it is gone. */
    public void kill(int server) {
        carryOut(servers.get(server)::kill);
    }

    /** Starts a server that was killed, and returns at once. */
    public void start(int server) {
        carryOut(servers.get(server)::start);
    }

    /** Stops a server, with SIGSTOP; nothing befalls one that was killed. */
    public void stop(int server) {
        servers.get(server).stop();
    }

    /** Lets a server go on after a stop, with SIGCONT. */
    public void go(int server) {
        servers.get(server).go();
    }

    /**
     * Slows a server's disk, also over its next starts.
     *
     * @param perFlush how much longer each flush of its log takes, one that is under way included; zero mends it
     */
    public void slowDisk(int server, Duration perFlush) {
        servers.get(server).slowDisk(perFlush);
    }

    /** Starts, lets go on and mends all of them. */
    public void heal() {
        for (int server = 0; server < size(); server++) {
            go(server);
            start(server);
            slowDisk(server, Duration.ZERO);
        }
    }

    /** Returns who leads; empty while nobody says so. A leader that was stopped until just now may still say it. */
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

    /** Returns the paths of all ephemeral nodes, as the leader has them; empty while nobody says. */
    public Optional<Set<String>> ephemerals() {
        OptionalInt leader = leader();
        return leader.isEmpty()
                ? Optional.empty()
                : servers.get(leader.getAsInt()).ephemerals();
    }

    /** Waits until somebody leads, and returns who. */
    public int awaitLeader() {
        await(() -> leader().isPresent());
        return leader().orElseGet(this::awaitLeader);
    }

    /**
     * Waits until every server serves that is neither killed nor stopped.
     *
     * @throws IllegalStateException when that takes minutes, or a server has ended by itself; the message says where the
     *     servers' logs are
     */
    public void awaitServing() {
        await(this::serves);
    }

    /** Waits until a majority serves: clients are heard from then on, whoever else is still on the way. */
    public void awaitMajority() {
        await(this::agrees);
    }

    /** Whether the servers can still agree on something; one that has just gone on after a stop may wrongly say it leads. */
    private boolean agrees() {
        OptionalInt leader = leader();
        return leader.isPresent() && servers.get(leader.getAsInt()).givesSession();
    }

    private boolean serves() {
        return agrees()
                && servers.stream()
                        .allMatch(server -> !server.isUp() || server.status().isPresent());
    }

    /** Returns how often a server refused to start because it was killed before it had noted its epoch; that was mended. */
    public int mended() {
        return servers.stream().mapToInt(Server::mended).sum();
    }

    /** Something about a server's process or files. */
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
                throw new IllegalStateException("no service within " + PATIENCE.toSeconds() + " s, see "
                        + servers.get(0).directory().getParent());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the ensemble was waited for", e);
            }
        }
    }

    /**
     * Reads the logs of all servers, which should serve, all of them, and be asked nothing meanwhile.
     *
     * @throws IllegalStateException when the logs don't add up, or a server has ended by itself
     */
    public TransactionLogs transactionLogs() throws IOException {
        for (Server server : servers) {
            server.look();
        }
        return TransactionLogs.read(servers.stream().map(Server::directory).toList());
    }

    /** Kills all servers. What they wrote stays. */
    @Override
    public void close() {
        servers.forEach(Server::close);
    }
}
