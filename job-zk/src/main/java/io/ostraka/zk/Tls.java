package io.ostraka.zk;

import io.ostraka.api.Secret;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * TLS settings of the connection to ZooKeeper. A client with TLS must connect to the secure client port of the servers.
 * Key stores and trust stores are JKS, PKCS12 or PEM files; the file extension decides. The files are read again for
 * each connection, so that a renewed certificate takes effect with the next connection. Immutable.
 */
public final class Tls {
    private final @Nullable Store trust;
    private final @Nullable Store key;
    private final boolean hostnameVerification;

    record Store(Path file, Secret password) {}

    private Tls(@Nullable Store trust, @Nullable Store key, boolean hostnameVerification) {
        this.trust = trust;
        this.key = key;
        this.hostnameVerification = hostnameVerification;
    }

    /** Returns settings that trust the certificates that the JDK trusts by default. */
    public static Tls trustingTheJdk() {
        return new Tls(null, null, true);
    }

    /**
     * Returns settings that trust the certificates in the given trust store.
     *
     * @param store trust store
     * @param password password of the store, read for each connection
     */
    public static Tls trusting(Path store, Secret password) {
        return new Tls(new Store(absolute(store), Objects.requireNonNull(password, "password")), null, true);
    }

    /**
     * Returns these settings with a client certificate. If ZooKeeper is configured accordingly, it accepts the
     * certificate as credentials.
     *
     * @param store key store with the certificate and its key
     * @param password password of the store, read for each connection
     */
    public Tls withKey(Path store, Secret password) {
        return new Tls(
                trust, new Store(absolute(store), Objects.requireNonNull(password, "password")), hostnameVerification);
    }

    /**
     * Returns these settings without the check that a server's certificate was issued for the server's host name. Every
     * owner of a trusted certificate can then impersonate ZooKeeper.
     */
    public Tls withoutHostnameVerification() {
        return new Tls(trust, key, false);
    }

    /**
     * Returns the configuration of a ZooKeeper client with these settings, for a client that does not belong to a
     * registry. It reads the passwords when the client asks for them.
     */
    public ZKClientConfig clientConfig() {
        return new ClientConfig(this);
    }

    private static Path absolute(Path store) {
        return store.toAbsolutePath().normalize();
    }

    @Nullable Store trust() {
        return trust;
    }

    @Nullable Store key() {
        return key;
    }

    boolean hostnameVerification() {
        return hostnameVerification;
    }

    /** Returns the file names of the stores, without their passwords. */
    @Override
    public String toString() {
        return "TLS trusting " + (trust == null ? "the JDK's certificates" : trust.file())
                + (key == null ? "" : ", with the certificate in " + key.file())
                + (hostnameVerification ? "" : ", without hostname verification");
    }
}
