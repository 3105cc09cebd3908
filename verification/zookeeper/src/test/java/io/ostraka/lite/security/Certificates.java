package io.ostraka.lite.security;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates for a test's server and its clients, created by the JDK's keytool. */
final class Certificates {
    /** Password of every store; no output may contain it. */
    static final String PASSWORD = "st0re-Passw0rd";

    final Path server;
    final Path client;
    final Path trustingServer;
    final Path trustingClient;

    Certificates(Path directory) throws IOException, InterruptedException, GeneralSecurityException {
        server = directory.resolve("server.p12");
        client = directory.resolve("client.p12");
        trustingServer = directory.resolve("trusting-server.p12");
        trustingClient = directory.resolve("trusting-client.p12");
        Process one = generate(server, "CN=zookeeper");
        Process two = generate(client, "CN=orders");
        trust(one, server, trustingServer);
        trust(two, client, trustingClient);
    }

    /** Returns the TLS context of the server, created with the JDK alone. */
    SSLContext serverContext() throws IOException, GeneralSecurityException {
        char[] password = PASSWORD.toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(server.toFile(), password), password);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(KeyStore.getInstance(trustingClient.toFile(), password));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static Process generate(Path store, String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-alias",
                        "own",
                        "-dname",
                        name,
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(
                        store.resolveSibling(store.getFileName() + ".log").toFile())
                .start();
    }

    private static void trust(Process made, Path store, Path trusting)
            throws IOException, InterruptedException, GeneralSecurityException {
        if (!made.waitFor(60, TimeUnit.SECONDS) || made.exitValue() != 0) {
            throw new IOException("keytool: " + Files.readString(store.resolveSibling(store.getFileName() + ".log")));
        }
        Certificate certificate =
                KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()).getCertificate("own");
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load((InputStream) null, null);
        trust.setCertificateEntry("known", certificate);
        try (OutputStream out = Files.newOutputStream(trusting)) {
            trust.store(out, PASSWORD.toCharArray());
        }
    }
}
