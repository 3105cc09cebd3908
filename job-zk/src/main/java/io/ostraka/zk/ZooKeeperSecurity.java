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
 * Security settings of a ZooKeeper client: its credentials, the encryption of its connection, and the access rights of
 * the nodes that it creates. Credentials are a digest, SASL, or a TLS client certificate. If a client has credentials
 * and no {@linkplain #withOpenAccess open access}, only clients with the same credentials can access its nodes;
 * otherwise everyone can. Immutable.
 */
public final class ZooKeeperSecurity {
    /** No credentials and no encryption; created nodes are open to everyone. */
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
     * Returns these settings with credentials of ZooKeeper's digest scheme.
     *
     * @param name user name
     * @param secret password, read at the start of each session
     * @throws IllegalArgumentException if the user name is empty or contains a colon
     */
    public ZooKeeperSecurity withDigest(String name, Secret secret) {
        if (name.isEmpty() || name.indexOf(':') >= 0) {
            throw new IllegalArgumentException("digest user is '" + name + "'; accepted: a name without a colon");
        }
        return new ZooKeeperSecurity(name, Objects.requireNonNull(secret, "password"), loginContext, tls, openAccess);
    }

    /**
     * Returns these settings with SASL.
     *
     * @param section name of the section in the process's JAAS configuration
     * @throws IllegalArgumentException if the name is blank
     */
    public ZooKeeperSecurity withSasl(String section) {
        if (section.isBlank()) {
            throw new IllegalArgumentException(
                    "SASL section is blank; accepted: the name of a section of the JAAS configuration");
        }
        return new ZooKeeperSecurity(user, password, section, tls, openAccess);
    }

    /** Returns these settings with an encrypted connection. */
    public ZooKeeperSecurity withTls(Tls encryption) {
        return new ZooKeeperSecurity(user, password, loginContext, Objects.requireNonNull(encryption), openAccess);
    }

    /**
     * Returns these settings with or without open access. With open access, a client that has credentials nevertheless
     * creates nodes that are open to everyone, and accepts existing nodes that are open.
     */
    public ZooKeeperSecurity withOpenAccess(boolean open) {
        return new ZooKeeperSecurity(user, password, loginContext, tls, open);
    }

    boolean hasCredentials() {
        return user != null || loginContext != null || (tls != null && tls.key() != null);
    }

    /** Returns whether created nodes are accessible only with the same credentials. */
    boolean closed() {
        return hasCredentials() && !openAccess;
    }

    @Nullable Tls tls() {
        return tls;
    }

    /** Returns the number of bytes that the access rights of a created node add to a request. */
    int aclBytes() {
        return 4
                + acl().stream()
                        .mapToInt(acl -> 12
                                + acl.getId().getScheme().length()
                                + acl.getId().getId().length())
                        .sum();
    }

    /** Returns the access rights of created nodes. */
    List<ACL> acl() {
        return closed() ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
    }

    /**
     * Returns a copy of the data that the digest scheme sends to ZooKeeper; empty if this scheme is not used. If the
     * secret cannot be read, the exception of the secret propagates to the caller.
     */
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

    /** Returns the configuration of ZooKeeper's client. */
    ZKClientConfig clientConfig() {
        var config = new ClientConfig(tls);
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, Boolean.toString(loginContext != null));
        if (loginContext != null) {
            config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, loginContext);
            config.allowDigestMd5();
        }
        return config;
    }

    /** Describes the credentials without any secret. */
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
