package io.ostraka.zk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception.SSLContextException;
import org.jspecify.annotations.Nullable;

/**
 * Connects to each server to find out why the servers cannot be reached, since ZooKeeper's client reports the reasons
 * only in its own log. Probes all servers at the same time, and blocks for a limited time. Each object probes once.
 */
final class ServerProbe {
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(3);
    /**
     * Time limit of a reply. It is longer than the limit of the connection, because a server to which many clients
     * connect at once can need seconds for a TLS handshake although it is not suspended.
     */
    private static final Duration LONGEST_REPLY = Duration.ofSeconds(10);
    /** Time limit of all steps together, for a server that replies in small parts, or a name that is not resolved. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private static final String SILENT =
            "does not answer: check address, firewall, and that ZooKeeper is not suspended";
    /** Command that every server answers. If a server does not allow the command, its answer says so. */
    private static final byte[] QUESTION = "srvr".getBytes(StandardCharsets.US_ASCII);

    private final ZooKeeperConfig config;
    private final int connectMillis;
    private volatile boolean answered;

    ServerProbe(ZooKeeperConfig config) {
        this.config = config;
        this.connectMillis = (int)
                Math.min(LONGEST_CONNECT.toMillis(), config.connectionTimeout().toMillis());
    }

    /**
     * The result of a probe.
     *
     * @param text describes the problem of each server and suggests an action
     * @param outage whether the servers were asked and none of them answered
     */
    record Findings(String text, boolean outage) {}

    Findings probe() {
        SSLContext tls = null;
        if (config.security().tls() != null) {
            try (var client = new ClientX509Util()) {
                tls = client.createSSLContext(config.security().clientConfig());
            } catch (SSLContextException | RuntimeException e) { // reading a secret can throw any RuntimeException
                return new Findings(
                        "No connection to ZooKeeper at " + config.hosts() + ", because " + config.security()
                                + " cannot be used: " + root(e) + ". Correct the file, its password or its extension",
                        false);
            }
        }
        List<CompletableFuture<String>> findings = new ArrayList<>();
        for (InetSocketAddress server : new ConnectStringParser(config.hosts()).getServerAddresses()) {
            SSLContext context = tls;
            String name = server.getHostString() + ":" + server.getPort() + " ";
            findings.add(CompletableFuture.supplyAsync(() -> name + finding(server, context), ServerProbe::inOwnThread)
                    .completeOnTimeout(name + SILENT, LONGEST.toSeconds(), TimeUnit.SECONDS));
        }
        String text = findings.stream().map(CompletableFuture::join).collect(Collectors.joining("; "));
        return new Findings("No connection to ZooKeeper: " + text, !answered);
    }

    private static void inOwnThread(Runnable probing) {
        var thread = new Thread(probing, "ostraka-zk-probe");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // without a further thread, the servers are probed one after the other
            probing.run();
        }
    }

    private String finding(InetSocketAddress server, @Nullable SSLContext tls) {
        try (Socket socket = connect(server)) {
            return tls == null ? plain(server, socket) : encrypted(server, socket, tls);
        } catch (UnknownHostException e) {
            return "is an unknown host: check the name";
        } catch (ConnectException e) {
            return "is not listening (" + e.getMessage() + "): check address and port, and that ZooKeeper runs";
        } catch (SocketTimeoutException e) {
            return SILENT;
        } catch (IOException e) {
            return "cannot be reached: " + e;
        }
    }

    private Socket connect(InetSocketAddress server) throws IOException {
        var socket = new Socket();
        try {
            var resolved = new InetSocketAddress(server.getHostString(), server.getPort());
            if (resolved.isUnresolved()) {
                throw new UnknownHostException(server.getHostString());
            }
            socket.setSoTimeout((int) LONGEST_REPLY.toMillis());
            socket.connect(resolved, connectMillis);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private String plain(InetSocketAddress server, Socket socket) throws IOException {
        try {
            return ask(socket);
        } catch (SocketTimeoutException | SocketException | EOFException e) {
            if (speaksTls(server)) {
                return "expects TLS, but the registry connects without it: give the registry tls, or the servers' plain port";
            }
            return "accepts connections but does not answer: check that it is ZooKeeper and not suspended";
        }
    }

    private String encrypted(InetSocketAddress server, Socket socket, SSLContext tls) throws IOException {
        boolean spoken = false;
        try (SSLSocket secure = (SSLSocket)
                tls.getSocketFactory().createSocket(socket, server.getHostString(), server.getPort(), true)) {
            if (config.security().tls() != null && config.security().tls().hostnameVerification()) {
                SSLParameters parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
            }
            secure.startHandshake();
            spoken = true;
            return ask(secure);
        } catch (SSLException | SocketException | EOFException e) {
            if (isAboutCertificates(e)) {
                return "presents a certificate that is not accepted (" + root(e)
                        + "): give tls a trust store that covers it, and connect by a name that it contains";
            }
            // with TLS 1.3, a server refuses a client certificate after the handshake, so a failure after it also
            // counts as a refusal
            return spoken || e.getMessage() != null && e.getMessage().contains("alert")
                    ? "refuses the handshake (" + e.getMessage()
                            + "): if it requires client certificates, give tls one that it trusts, withKey"
                    : "does not use TLS (" + e.getMessage()
                            + "): give the servers' secure client port, or leave tls out";
        }
    }

    private String ask(Socket socket) throws IOException {
        socket.getOutputStream().write(QUESTION);
        socket.getOutputStream().flush();
        InputStream answers = socket.getInputStream();
        String answer = new String(answers.readNBytes(64), StandardCharsets.UTF_8);
        if (answer.isEmpty()) {
            throw new EOFException("there was no answer");
        }
        answered = true;
        return answer.contains("not currently serving")
                ? "has no quorum: check the other servers of the ensemble"
                : "answers, but there is no session yet: check its log if this continues";
    }

    private boolean speaksTls(InetSocketAddress server) {
        try (Socket socket = connect(server);
                SSLSocket secure = (SSLSocket) SSLContext.getDefault()
                        .getSocketFactory()
                        .createSocket(socket, server.getHostString(), server.getPort(), true)) {
            secure.startHandshake();
            return true;
        } catch (IOException e) {
            return isAboutCertificates(e)
                    || e.getMessage() != null && e.getMessage().contains("alert");
        } catch (NoSuchAlgorithmException e) {
            return false;
        }
    }

    private static boolean isAboutCertificates(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    private static String root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
