package io.ostraka.mail;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Adds STARTTLS or TLS to an SMTP server that has neither, and refuses the recipients of one domain. GreenMail has no
 * STARTTLS.
 */
final class TlsFront implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int behind;
    private final SSLContext context;
    private final boolean startTls;

    /** @param behind port of the server without TLS */
    TlsFront(int behind, SSLContext context, boolean startTls) throws IOException {
        this.behind = behind;
        this.context = context;
        this.startTls = startTls;
        threads.execute(() -> {
            try {
                while (true) {
                    Socket client = socket.accept();
                    threads.execute(() -> serve(client));
                }
            } catch (IOException e) {
                // the test is over
            }
        });
    }

    int port() {
        return socket.getLocalPort();
    }

    private void serve(Socket plain) {
        try (plain) {
            if (startTls) {
                answer(plain, "220 front ESMTP");
                for (String line = line(plain.getInputStream());
                        !line.equalsIgnoreCase("STARTTLS");
                        line = line(plain.getInputStream())) {
                    if (line.isEmpty()) {
                        return;
                    }
                    answer(plain, line.startsWith("EHLO") ? "250-front\r\n250 STARTTLS" : "502 not here");
                }
                answer(plain, "220 begin");
            }
            SSLSocket client =
                    (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
            client.setUseClientMode(false);
            client.startHandshake();
            forward(client);
        } catch (IOException e) {
            // the client has gone, for example because it does not trust the certificate
        }
    }

    private void forward(Socket client) throws IOException {
        try (client;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind)) {
            InputStream answers = new BufferedInputStream(server.getInputStream());
            if (startTls) {
                line(answers); // a second greeting
            }
            threads.execute(() -> {
                try {
                    answers.transferTo(client.getOutputStream());
                } catch (IOException e) {
                    // the conversation is over
                }
            });
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("RCPT TO:") && line.contains("@refused.example.com")) {
                    answer(client, "550 no such user");
                } else {
                    answer(server, line);
                }
            }
        }
    }

    private static void answer(Socket to, String line) throws IOException {
        OutputStream out = to.getOutputStream();
        out.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** Reads one line and not a byte more, because TLS may begin after it. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = in.read(); each >= 0 && each != '\n'; each = in.read()) {
            line.append((char) each);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        threads.shutdownNow();
    }
}
