package io.ostraka.zk;

import io.ostraka.api.Secret;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Who a client of ZooKeeper is, how its connection is protected, and who may do what with the nodes that it creates: its
 * like alone as soon as it has credentials (a digest, SASL, or a TLS certificate of its own), everyone without. Immutable.
 */
public final class ZooKeeperSecurity {
    /** No credentials, no encryption, nodes that are open to everyone. */
    public static final ZooKeeperSecurity NONE = new ZooKeeperSecurity(null, null, null, null, false);

    private final @Nullable String user;
    private final @Nullable Secret password;
    private final @Nullable String loginContext;
    private final @Nullable Tls tls;
    private final boolean openAccess;

    private ZooKeeperSecurity(
            @Nullable String user,
            @Nullable Secret password,
            @Nullable String loginContext,
            @Nullable Tls tls,
            boolean openAccess) {
        this.user = user;
        this.password = password;
        this.loginContext = loginContext;
        this.tls = tls;
        this.openAccess = openAccess;
    }

    /**
     * With ZooKeeper's digest scheme.
     *
     * @throws IllegalArgumentException when the user is empty or has a colon in it
     */
    public ZooKeeperSecurity withDigest(String name, Secret secret) {
        if (name.isEmpty() || name.indexOf(':') >= 0) {
            throw new IllegalArgumentException("The user of a digest must be a name without a colon: '" + name + "'");
        }
        return new ZooKeeperSecurity(name, Objects.requireNonNull(secret, "password"), loginContext, tls, openAccess);
    }

    /** With SASL, by this section of the process's JAAS configuration. */
    public ZooKeeperSecurity withSasl(String section) {
        if (section.isBlank()) {
            throw new IllegalArgumentException(
                    "SASL needs the name of a section of the JAAS configuration: '' is none");
        }
        return new ZooKeeperSecurity(user, password, section, tls, openAccess);
    }

    /** With an encrypted connection. */
    public ZooKeeperSecurity withTls(Tls encryption) {
        return new ZooKeeperSecurity(user, password, loginContext, Objects.requireNonNull(encryption), openAccess);
    }

    /** Credentials or not, creates nodes that are open to everyone, and accepts those it finds. */
    public ZooKeeperSecurity withOpenAccess(boolean open) {
        return new ZooKeeperSecurity(user, password, loginContext, tls, open);
    }

    boolean hasCredentials() {
        return user != null || loginContext != null || (tls != null && tls.key() != null);
    }

    /** Whether nodes are to be its like's alone. */
    boolean closed() {
        return hasCredentials() && !openAccess;
    }

    @Nullable Tls tls() {
        return tls;
    }

    /** Returns how many bytes of a request the access rights of a node are that it creates. */
    int aclBytes() {
        return 4
                + acl().stream()
                        .mapToInt(acl -> 12
                                + acl.getId().getScheme().length()
                                + acl.getId().getId().length())
                        .sum();
    }

    /** Who may do what with each node that it creates. */
    List<ACL> acl() {
        return closed() ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
    }

    /** What ZooKeeper's digest scheme is shown, in a copy; empty if it isn't used. Fails if the secret can't be had. */
    byte[] digest() {
        if (user == null || password == null) {
            return new byte[0];
        }
        char[] secret = password.read();
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(secret));
        Arrays.fill(secret, '\0');
        byte[] name = (user + ":").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(name.length + bytes.remaining())
                .put(name)
                .put(bytes)
                .array();
    }

    /** What ZooKeeper's client is told. */
    ZKClientConfig clientConfig() {
        var config = new ClientConfig(tls);
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, Boolean.toString(loginContext != null));
        if (loginContext != null) {
            config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, loginContext);
            config.allowDigestMd5();
        }
        return config;
    }

    /** Names the credentials, without any secret. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        if (user != null) {
            parts.add("digest user '" + user + "'");
        }
        if (loginContext != null) {
            parts.add("SASL by JAAS section '" + loginContext + "'");
        }
        if (tls != null) {
            parts.add(tls.toString());
        }
        return parts.isEmpty() ? "no credentials" : String.join(", ", parts);
    }
}
