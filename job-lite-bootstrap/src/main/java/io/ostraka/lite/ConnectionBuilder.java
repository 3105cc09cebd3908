package io.ostraka.lite;

import io.ostraka.api.Secret;
import io.ostraka.zk.Tls;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperSecurity;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a connection to ZooKeeper, for instances and for observers. Not thread-safe.
 *
 * @param <B> type of the builder
 */
public abstract sealed class ConnectionBuilder<B extends ConnectionBuilder<B>>
        permits RegistryBuilder, OperationsBuilder {
    /** The chroot is appended to the servers in the connect string, so a comma in it would begin another server. */
    private static final Pattern CHROOT = Pattern.compile("(/[^/,\\s]+)+");

    final String servers;
    String chroot = "";
    Duration sessionTimeout = Duration.ofSeconds(15);
    Duration connectionTimeout = Duration.ofSeconds(10);
    Duration retryPause = Duration.ofSeconds(1);
    Duration operationTimeout = Duration.ofSeconds(20);
    ZooKeeperSecurity security = ZooKeeperSecurity.NONE;

    /** @throws IllegalArgumentException if servers is null, as if an environment variable were not set */
    ConnectionBuilder(String servers) {
        Libraries.require();
        this.servers = require("servers", servers, "host:port,host:port");
    }

    static String require(String name, @Nullable String value, String accepted) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is null; accepted: " + accepted);
        }
        return value;
    }

    abstract B self();

    /**
     * Returns the configuration of the connection.
     *
     * @param namespace name of the application; null to read all applications
     */
    ZooKeeperConfig connection(@Nullable String namespace) {
        return new ZooKeeperConfig(
                servers + chroot,
                namespace,
                sessionTimeout,
                // an attempt to connect that takes longer than the session timeout is useless
                connectionTimeout.compareTo(sessionTimeout) < 0 ? connectionTimeout : sessionTimeout,
                retryPause,
                security);
    }

    /**
     * Sets the path of the node below which all nodes are stored, such as {@code /teams/billing}. An empty string (the
     * default) means the root.
     *
     * @throws IllegalArgumentException if the path is not accepted
     */
    public B chroot(String path) {
        if (path == null || (!path.isEmpty() && !CHROOT.matcher(path).matches())) {
            throw new IllegalArgumentException("chroot is '" + path + "'; accepted: a path such as /teams/billing");
        }
        this.chroot = path;
        return self();
    }

    /**
     * Sets the time after which ZooKeeper regards an instance as dead if it has not heard from the instance; 15 s by
     * default. The items of a dead instance move to other instances. After a shutdown, {@link
     * io.ostraka.api.JobConfiguration#restartGrace()} limits instead how long an instance may be away. The ZooKeeper server limits the value to its own
     * bounds, by default 2 to 20 of its ticks.
     *
     * @throws IllegalArgumentException if the time is not from 1 ms to 24 days
     */
    public B sessionTimeout(Duration timeout) {
        this.sessionTimeout = ZooKeeperConfig.requireMillis("sessionTimeout", timeout);
        return self();
    }

    /**
     * Sets the time limit of one attempt to connect; 10 s by default. A limit larger than the session timeout is
     * reduced to the session timeout.
     *
     * @throws IllegalArgumentException if the time is not from 1 ms to 24 days
     */
    public B connectionTimeout(Duration timeout) {
        this.connectionTimeout = ZooKeeperConfig.requireMillis("connectionTimeout", timeout);
        return self();
    }

    /**
     * Sets the pause before the retry of an operation that failed because the connection was lost; 1 s by default. The
     * pause grows with each further failure.
     *
     * @throws IllegalArgumentException if the time is not from 1 ms to 24 days
     */
    public B retryPause(Duration pause) {
        this.retryPause = ZooKeeperConfig.requireMillis("retryPause", pause);
        return self();
    }

    /**
     * Sets the longest time that a method of the registry waits for ZooKeeper; 20 s by default.
     *
     * @throws IllegalArgumentException if the time is not from 1 ms to 24 days
     */
    public B operationTimeout(Duration timeout) {
        this.operationTimeout = ZooKeeperConfig.requireMillis("operationTimeout", timeout);
        return self();
    }

    /**
     * Authenticates this process to ZooKeeper with the digest scheme. If a process has credentials of any kind, only
     * clients with the same credentials can access the nodes that it creates, and the registry refuses to use a
     * namespace that anyone can change.
     *
     * @param user user name without a colon
     * @param password secret such as {@code Secret.of("${env:ZK_PASSWORD}")}, read at the start of each session
     */
    public B digest(String user, Secret password) {
        security = security.withDigest(user, password);
        return self();
    }

    /**
     * Authenticates this process to ZooKeeper with SASL (DIGEST-MD5 or Kerberos), as defined in a section of the
     * process's JAAS configuration ({@code -Djava.security.auth.login.config=FILE}). SASL is not used without this
     * call.
     *
     * @param jaasSection name of the section, such as {@code Client}
     */
    public B sasl(String jaasSection) {
        security = security.withSasl(jaasSection);
        return self();
    }

    /**
     * Encrypts the connection to ZooKeeper. If the argument contains a client certificate, it also authenticates this
     * process to ZooKeeper.
     */
    public B tls(Tls tls) {
        security = security.withTls(tls);
        return self();
    }

    /**
     * Sets whether this process creates nodes that are open to everyone and accepts a namespace that anyone can change,
     * although it has credentials; false by default. Use this setting temporarily, while instances with and without
     * credentials share a namespace. Without credentials the setting has no effect, since access is always open then.
     */
    public B openAccess(boolean open) {
        security = security.withOpenAccess(open);
        return self();
    }
}
