package io.ostraka.zk;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.common.PathUtils;

/**
 * Where ZooKeeper is and which part of it is ours.
 *
 * @param connectString {@code host:port,host:port/path}; everything is kept below the path, which need not exist
 * @param namespace the application: one name below the path, which holds all its nodes
 * @param sessionTimeout asked of the server, which keeps it within its own bounds (by default 2 to 20 ticks)
 * @param connectionTimeout how long a connection may take to come about, and how long {@code close} waits at most
 * @param retryPause before another attempt at what the store does by itself and that failed; grows with every attempt
 * @param security who the store is to ZooKeeper, and who may do what with its nodes
 */
public record ZooKeeperConfig(
        String connectString,
        String namespace,
        Duration sessionTimeout,
        Duration connectionTimeout,
        Duration retryPause,
        ZooKeeperSecurity security) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one makes no sense; the message names it
     */
    public ZooKeeperConfig {
        Objects.requireNonNull(connectString, "connectString");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(security, "security");
        if (!NAME.matcher(namespace).matches() || namespace.equals("zookeeper")) {
            throw new IllegalArgumentException(
                    "The namespace must match " + NAME + " and not be 'zookeeper', which is reserved: " + namespace);
        }
        requireMillis("sessionTimeout", sessionTimeout);
        requireMillis("connectionTimeout", connectionTimeout);
        requireMillis("retryPause", retryPause);
        try {
            PathUtils.validatePath(root(connectString, namespace));
            if (new ConnectStringParser(connectString).getServerAddresses().isEmpty()) {
                throw new IllegalArgumentException("it names no server");
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "Not a connect string (host:port,host:port/path): '" + connectString + "': " + e.getMessage(), e);
        }
    }

    /** The same without credentials. */
    public ZooKeeperConfig(
            String connectString,
            String namespace,
            Duration sessionTimeout,
            Duration connectionTimeout,
            Duration retryPause) {
        this(connectString, namespace, sessionTimeout, connectionTimeout, retryPause, ZooKeeperSecurity.NONE);
    }

    /** A session timeout of 15 s, a connection timeout of 10 s and a pause of 1 s. */
    public static ZooKeeperConfig of(String connectString, String namespace) {
        return new ZooKeeperConfig(
                connectString, namespace, Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(1));
    }

    /** The same with credentials. */
    public ZooKeeperConfig withSecurity(ZooKeeperSecurity other) {
        return new ZooKeeperConfig(connectString, namespace, sessionTimeout, connectionTimeout, retryPause, other);
    }

    /** The servers alone: paths are prefixed here, because a client below a path that is missing can do nothing. */
    String hosts() {
        return hosts(connectString);
    }

    /** The node that all paths of a store are below. */
    String root() {
        return root(connectString, namespace);
    }

    private static String hosts(String connectString) {
        int slash = connectString.indexOf('/');
        return slash < 0 ? connectString : connectString.substring(0, slash);
    }

    private static String root(String connectString, String namespace) {
        String path = new ConnectStringParser(connectString).getChrootPath();
        return path == null ? "/" + namespace : path + "/" + namespace;
    }

    private static void requireMillis(String name, Duration value) {
        Objects.requireNonNull(value, name);
        if (value.toMillis() < 1 || value.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + " must be at least a millisecond and at most 24 days: " + value);
        }
    }
}
