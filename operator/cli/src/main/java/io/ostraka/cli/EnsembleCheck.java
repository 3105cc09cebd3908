package io.ostraka.cli;

import io.ostraka.cli.Finding.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the servers of a ZooKeeper ensemble by their four-letter words. */
final class EnsembleCheck {
    private static final int DEFAULT_PORT = 2181;
    private static final int ADMIN_PORT = 8080;
    private static final long SHORTEST_SESSION_MILLIS = 15_000;
    private static final long RECOMMENDED_TICK_MILLIS = 1000;
    private static final long SLOW_MILLIS = 100;
    private static final Pattern VERSION = Pattern.compile("(\\d{1,5})\\.(\\d{1,5})\\.\\d.*");
    private static final String WHITELIST = "in zoo.cfg, set 4lw.commands.whitelist=mntr,srvr,ruok (and conf while you"
            + " check), and restart the servers one after the other";

    private final List<Finding> findings = new ArrayList<>();
    private final BiFunction<InetSocketAddress, String, Optional<String>> ask;

    private EnsembleCheck(BiFunction<InetSocketAddress, String, Optional<String>> ask) {
        this.ask = ask;
    }

    /**
     * Checks all servers.
     *
     * @param servers {@code host:port,host:port/path}
     * @param ask asks a server with a four-letter word
     */
    static List<Finding> of(String servers, BiFunction<InetSocketAddress, String, Optional<String>> ask) {
        EnsembleCheck check = new EnsembleCheck(ask);
        List<InetSocketAddress> addresses = addresses(servers);
        if (addresses.size() < 3) {
            check.add(
                    "servers",
                    Level.WARNING,
                    addresses.size() == 1 ? "only one server is named" : "only two servers are named",
                    "an ensemble needs three servers to survive the loss of one, and clients must know all of them",
                    "name all servers of the ensemble in --zookeeper and in the application, and run three or five");
        } else {
            check.findings.add(Finding.ok("servers", addresses.size() + " servers are named"));
        }
        addresses.forEach(check::server);
        return check.findings;
    }

    static List<InetSocketAddress> addresses(String servers) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String each : servers.replaceFirst("/.*$", "").split(",", -1)) {
            Matcher parts = Pattern.compile("\\[?(.*?)\\]?(?::(\\d{1,5}))?").matcher(each.strip());
            if (!each.isBlank() && parts.matches()) {
                int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
                if (port <= 0xffff) {
                    addresses.add(InetSocketAddress.createUnresolved(parts.group(1), port));
                }
            }
        }
        return addresses;
    }

    private void add(String check, Level level, String what, String why, String todo) {
        findings.add(new Finding(check, level, what, why, todo));
    }

    private void server(InetSocketAddress server) {
        String name = server.getHostString() + ":" + server.getPort();
        Optional<String> answer = ask.apply(server, "srvr");
        if (answer.isEmpty()) {
            add(
                    name,
                    Level.ERROR,
                    "the server does not answer",
                    "the ensemble works only while a majority of its servers do",
                    "check the process, the address and the firewall of this server");
            return;
        }
        if (answered(name, "srvr", answer.get())) {
            srvr(name, FourLetterWord.values(answer.get()));
        }
        ask.apply(server, "conf")
                .filter(text -> answered(name, "conf", text))
                .ifPresent(text -> conf(name, FourLetterWord.values(text)));
        ask.apply(server, "mntr")
                .filter(text -> answered(name, "mntr", text))
                .ifPresent(text -> mntr(name, FourLetterWord.values(text)));
        admin(server, name);
    }

    /** Returns whether the server has answered a word. */
    private boolean answered(String name, String word, String answer) {
        if (FourLetterWord.isRefused(answer)) {
            findings.add(Finding.skipped(
                    name, "'" + word + "' is not in the server's whitelist, so its values are not checked", WHITELIST));
            return false;
        } else if (FourLetterWord.values(answer).isEmpty()) {
            findings.add(Finding.skipped(
                    name,
                    "the server gives no answer to '" + word
                            + "'; its port may speak TLS only, or it serves no requests now",
                    "run this check against the plain client port, or look at the server's own log"));
            return false;
        }
        return true;
    }

    private void srvr(String name, Map<String, String> values) {
        String version = values.getOrDefault("Zookeeper version", "unknown").replaceFirst("-.*$", "");
        Matcher parts = VERSION.matcher(version);
        boolean old =
                parts.matches() && Integer.parseInt(parts.group(1)) * 1000 + Integer.parseInt(parts.group(2)) < 3009;
        String mode = values.getOrDefault("Mode", "unknown");
        if (old) {
            add(
                    name,
                    Level.WARNING,
                    "the server has version " + version,
                    "Ostraka is tested with ZooKeeper 3.9, and earlier versions have known faults",
                    "update the servers to 3.9.5 or later, one after the other");
        }
        if (mode.equals("standalone")) {
            add(
                    name,
                    Level.WARNING,
                    "the server is a single server, not an ensemble",
                    "if it stops, no fire of any job starts until it is back",
                    "run an ensemble of three servers in production");
        }
        String[] latency = values.getOrDefault("Latency min/avg/max", "0/0/0").split("/", -1);
        if (latency.length == 3 && number(latency[1].replaceFirst("\\..*$", "")) > SLOW_MILLIS) {
            add(
                    name,
                    Level.WARNING,
                    "requests take " + latency[1] + " ms on average",
                    "every start and every end of a run waits for such a request",
                    "put the transaction log on a disk of its own, and look for long garbage collections");
        }
        findings.add(Finding.ok(name, "version " + version + ", " + mode));
    }

    private void conf(String name, Map<String, String> values) {
        Consumer<String> fine = what -> findings.add(Finding.ok(name, what));
        long tick = number(values.getOrDefault("tickTime", "0"));
        long sync = number(values.getOrDefault("syncLimit", "0"));
        if (tick > RECOMMENDED_TICK_MILLIS) {
            add(
                    name,
                    Level.WARNING,
                    "tickTime is " + tick + " ms",
                    "a failover of the servers takes a number of ticks, and meanwhile no fire starts",
                    "set tickTime=1000 in zoo.cfg");
        } else if (tick > 0) {
            fine.accept("tickTime is " + tick + " ms");
        }
        if (sync > 0 && tick > 0 && sync * tick > 10_000) {
            add(
                    name,
                    Level.WARNING,
                    "syncLimit is " + sync + ", so the servers leave a stopped leader only after " + sync * tick / 1000
                            + " s",
                    "meanwhile no fire starts",
                    "set syncLimit=5 with tickTime=1000 in zoo.cfg");
        }
        long longest = number(values.getOrDefault("maxSessionTimeout", "0"));
        if (longest > 0 && longest < SHORTEST_SESSION_MILLIS) {
            add(
                    name,
                    Level.ERROR,
                    "maxSessionTimeout is " + longest + " ms",
                    "instances ask for 15 s and get less, so a pause of a JVM or an election moves running items",
                    "set maxSessionTimeout=20000 in zoo.cfg");
        } else if (longest > 0) {
            fine.accept("sessions may last " + longest / 1000 + " s");
        }
        long clients = number(values.getOrDefault("maxClientCnxns", "-1"));
        if (clients > 0 && clients < 60) {
            add(
                    name,
                    Level.WARNING,
                    "maxClientCnxns is " + clients,
                    "the server refuses further instances from the same address",
                    "set maxClientCnxns above the number of instances on one host or behind one address");
        }
    }

    private void mntr(String name, Map<String, String> values) {
        long followers = number(values.getOrDefault("zk_followers", values.getOrDefault("zk_learners", "0")));
        long synced = number(values.getOrDefault("zk_synced_followers", String.valueOf(followers)));
        if (synced < followers) {
            add(
                    name,
                    Level.ERROR,
                    "only " + synced + " of " + followers + " followers are in sync",
                    "the loss of one more server may stop all jobs",
                    "look at the logs of the followers, and at their disks");
        }
        long outstanding = number(values.getOrDefault("zk_outstanding_requests", "0"));
        if (outstanding > 100) {
            add(
                    name,
                    Level.WARNING,
                    outstanding + " requests are waiting",
                    "claims of items wait as well",
                    "the cause is usually the disk of the transaction log");
        }
        long open = number(values.getOrDefault("zk_open_file_descriptor_count", "0"));
        long most = number(values.getOrDefault("zk_max_file_descriptor_count", "0"));
        if (most > 0 && open > most * 8 / 10) {
            add(
                    name,
                    Level.WARNING,
                    open + " of " + most + " file descriptors are open",
                    "without free descriptors the server accepts no connection",
                    "raise the limit of the server's process");
        }
        findings.add(Finding.ok(
                name,
                values.getOrDefault("zk_znode_count", "?") + " nodes, "
                        + values.getOrDefault("zk_num_alive_connections", "?") + " connections"));
    }

    private void admin(InetSocketAddress server, String name) {
        InetSocketAddress admin = InetSocketAddress.createUnresolved(server.getHostString(), ADMIN_PORT);
        ask.apply(admin, "GET /commands HTTP/1.0\r\n\r\n")
                .filter(text -> text.contains("/commands/"))
                .ifPresent(text -> add(
                        name,
                        Level.WARNING,
                        "the admin server answers on port " + ADMIN_PORT,
                        "every client can read the server's state there",
                        "set admin.enableServer=false in zoo.cfg"));
    }

    private static long number(String text) {
        return text.matches("-?\\d{1,18}") ? Long.parseLong(text) : 0;
    }
}
