package io.ostraka.zk;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.common.PathUtils;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a store: the servers, the part of ZooKeeper's tree that the application uses, and the settings of
 * the connection. Immutable.
 *
 * @param connectString {@code host:port,host:port/path}; all nodes are stored below the path, which need not exist
 * @param namespace name of the application; a node of this name below the path contains all nodes of the application.
 *     Null for a store that reads all applications below the path
 * @param sessionTimeout requested session timeout; the server adjusts it to its limits (by default 2 to 20 ticks)
 * @param connectionTimeout time limit of one attempt to connect, and the longest time that {@code close} waits
 * @param retryPause pause before the store retries a failed internal operation, such as joining the leader election;
 *     the pause grows with each attempt
 * @param security credentials, encryption and access rights of created nodes
 */
public record ZooKeeperConfig(
        String connectString,
        @Nullable String namespace,
        Duration sessionTimeout,
        Duration connectionTimeout,
        Duration retryPause,
        ZooKeeperSecurity security) {
    /** A host name or a numeric address. Other characters are often a wrong separator between servers. */
    private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}._-]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]+(%[\\w.-]+)?");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is not accepted; the message names the value
     */
    public ZooKeeperConfig {
        Objects.requireNonNull(connectString, "connectString");
        Objects.requireNonNull(security, "security");
        if (namespace != null && !accepts(namespace)) {
            throw new IllegalArgumentException(
                    "namespace is '" + namespace + "'; accepted: " + NAME + ", but not the reserved name 'zookeeper'");
        }
        requireMillis("sessionTimeout", sessionTimeout);
        requireMillis("connectionTimeout", connectionTimeout);
        requireMillis("retryPause", retryPause);
        try {
            PathUtils.validatePath(root(connectString, namespace));
            List<InetSocketAddress> servers = new ConnectStringParser(connectString).getServerAddresses();
            if (servers.isEmpty()) {
                throw new IllegalArgumentException("it contains no server");
            }
            servers.forEach(server -> requireHost(server.getHostString()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "connect string is '" + connectString + "': " + e.getMessage()
                            + "; accepted: host:port,host:port/path",
                    e);
        }
    }

    private static void requireHost(String host) {
        if (host.equals("null")) {
            throw new IllegalArgumentException("a host is null, as if a setting were missing");
        }
        if (!HOST.matcher(host).matches()) {
            throw new IllegalArgumentException("'" + host + "' is no host, and only commas separate servers");
        }
    }

    /** Creates a configuration without credentials. */
    public ZooKeeperConfig(
            String connectString,
            String namespace,
            Duration sessionTimeout,
            Duration connectionTimeout,
            Duration retryPause) {
        this(connectString, namespace, sessionTimeout, connectionTimeout, retryPause, ZooKeeperSecurity.NONE);
    }

    /**
     * Returns a configuration with a session timeout of 15 s, a connection timeout of 10 s and a retry pause of 1 s.
     */
    public static ZooKeeperConfig of(String connectString, String namespace) {
        return new ZooKeeperConfig(
                connectString, namespace, Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(1));
    }

    /** Returns whether a namespace can have this name. */
    public static boolean accepts(String namespace) {
        return NAME.matcher(namespace).matches() && !namespace.equals("zookeeper");
    }

    /** Returns this configuration with other security settings. */
    public ZooKeeperConfig withSecurity(ZooKeeperSecurity other) {
        return new ZooKeeperConfig(connectString, namespace, sessionTimeout, connectionTimeout, retryPause, other);
    }

    /**
     * Returns the servers without the path. The store adds the path to all requests itself, because a ZooKeeper client
     * that connects with a missing path cannot even create this path.
     */
    String hosts() {
        return hosts(connectString);
    }

    /** Returns the path of the node that contains all nodes of a store. */
    String root() {
        return root(connectString, namespace);
    }

    private static String hosts(String connectString) {
        int slash = connectString.indexOf('/');
        return slash < 0 ? connectString : connectString.substring(0, slash);
    }

    private static String root(String connectString, @Nullable String namespace) {
        String chroot = new ConnectStringParser(connectString).getChrootPath();
        String path = chroot == null ? "" : chroot;
        return namespace != null ? path + "/" + namespace : path.isEmpty() ? "/" : path;
    }

    /**
     * Returns a duration that ZooKeeper's client accepts.
     *
     * @param name name of the setting, for the message
     * @throws IllegalArgumentException if the duration is not accepted
     */
    public static Duration requireMillis(String name, Duration value) {
        Objects.requireNonNull(value, name);
        if (value.toMillis() < 1 || value.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: 1 ms to 24 days");
        }
        return value;
    }
}
