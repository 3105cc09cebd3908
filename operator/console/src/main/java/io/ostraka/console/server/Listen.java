package io.ostraka.console.server;

import io.ostraka.api.Secret;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Address at which the console listens.
 *
 * @param address address or host name of this machine
 * @param port port; 0 for a free one
 * @param tls key store with the certificate; null for connections without TLS
 * @param healthPort port of the probes alone, at the same address and without TLS; null if there is none
 * @param proxied true if all connections come from a reverse proxy
 */
record Listen(String address, int port, @Nullable KeyStore tls, @Nullable Integer healthPort, boolean proxied) {
    /**
     * A key store.
     *
     * @param file PKCS12 or JKS file
     * @param password password of the store and of its key
     */
    record KeyStore(Path file, Secret password) {}
}
