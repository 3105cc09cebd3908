package io.ostraka.zk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;

/** A way to a server on this machine that can be cut, and muted on the way back. */
final class Proxy implements AutoCloseable {
    private final int serverPort;
    private final ServerSocket listening;
    private final Set<Socket> sockets = new HashSet<>();
    private boolean cut;
    private volatile boolean muted;

    Proxy(int serverPort) {
        this.serverPort = serverPort;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run("accepts", this::accept);
    }

    String connectString() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** Closes all connections, and every new one at once. */
    synchronized void cut() {
        cut = true;
        sockets.forEach(Proxy::close);
        sockets.clear();
    }

    synchronized void heal() {
        cut = false;
        muted = false;
    }

    /** Swallows what the server sends. */
    void mute() {
        muted = true;
    }

    @Override
    public void close() {
        cut();
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            synchronized (this) {
                if (cut) {
                    close(client);
                    close(server);
                    continue;
                }
                sockets.add(client);
                sockets.add(server);
            }
            run("to the server", () -> pump(client, server, false));
            run("to the client", () -> pump(server, client, true));
        }
    }

    private void pump(Socket from, Socket to, boolean back) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[64 * 1024];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!back || !muted) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
        }
    }

    private interface Piping {
        void run() throws IOException;
    }

    private static void run(String what, Piping piping) {
        var thread = new Thread(
                () -> {
                    try {
                        piping.run();
                    } catch (IOException e) {
                        // closed by either side: that is what it is for
                    }
                },
                "proxy " + what);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
