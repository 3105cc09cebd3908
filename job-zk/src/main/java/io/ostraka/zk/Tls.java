package io.ostraka.zk;

import io.ostraka.api.Secret;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of the connection to ZooKeeper with the JDK's TLS, which requires the secure client port of the servers.
 * Stores are JKS, PKCS12 or PEM files, recognized by their file extension. They are read again for each connection, so
 * that a renewed certificate takes effect with the next connection. Immutable.
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

    /** Returns a configuration that trusts the servers that the JDK trusts. */
    public static Tls trustingTheJdk() {
        return new Tls(null, null, true);
    }

    /**
     * Returns a configuration that trusts servers with a certificate from the given trust store.
     *
     * @param store trust store
     * @param password password of the store, read for each connection
     */
    public static Tls trusting(Path store, Secret password) {
        return new Tls(new Store(absolute(store), Objects.requireNonNull(password, "password")), null, true);
    }

    /**
     * Returns this configuration with a client certificate, which ZooKeeper accepts as credentials if it is configured
     * to.
     *
     * @param store key store with the certificate and its key
     * @param password password of the store, read for each connection
     */
    public Tls withKey(Path store, Secret password) {
        return new Tls(
                trust, new Store(absolute(store), Objects.requireNonNull(password, "password")), hostnameVerification);
    }

    /**
     * Returns this configuration without the check that a certificate is for the server's host name. Every owner of a
     * trusted certificate can then impersonate ZooKeeper.
     */
    public Tls withoutHostnameVerification() {
        return new Tls(trust, key, false);
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
