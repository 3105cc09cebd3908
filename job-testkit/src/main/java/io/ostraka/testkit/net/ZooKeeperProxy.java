package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy for a ZooKeeper server. It parses unencrypted requests, so that a test can choose a request and lose it, lose
 * the reply to it, or hold it. Thread-safe.
 */
public final class ZooKeeperProxy extends TcpProxy {
    private final Awaited awaited;
    private final AtomicReference<@Nullable ClientSession> session;

    /**
     * Opens a proxy on a free port.
     *
     * @param serverPort port of the server, which may start later
     */
    public ZooKeeperProxy(int serverPort) {
        this(serverPort, new Awaited(), new AtomicReference<>());
    }

    private ZooKeeperProxy(int serverPort, Awaited awaited, AtomicReference<@Nullable ClientSession> session) {
        super(
                serverPort,
                Duration.ZERO,
                () -> new Frames(awaited, answer -> session.set(ClientSession.of(serverPort, answer))));
        this.awaited = awaited;
        this.session = session;
    }

    /**
     * Returns the latest session that the server has created for a client of this proxy. Resumed sessions do not count.
     */
    public ClientSession session() {
        ClientSession last = session.get();
        if (last == null) {
            throw new IllegalStateException("no client has a session yet");
        }
        return last;
    }

    /**
     * Forwards the next matching request, and resets the connection instead of forwarding the reply. The server
     * executes or refuses the request, but the client does not learn the result.
     *
     * @return a future that completes when this has happened
     */
    public CompletableFuture<Request> loseReply(Predicate<Request> which) {
        return awaited.add(which, Fate.REPLY_LOST, new CompletableFuture<>());
    }

    /**
     * Resets the connection instead of forwarding the next matching request. The server does not execute the request,
     * but the client does not know this.
     *
     * @return a future that completes when this has happened
     */
    public CompletableFuture<Request> loseRequest(Predicate<Request> which) {
        return awaited.add(which, Fate.LOST, new CompletableFuture<>());
    }

    /**
     * Holds the next matching request, and everything that is sent to the server after it, until {@link #heal}.
     *
     * @return a future that completes when the request has arrived
     */
    public CompletableFuture<Request> holdFrom(Predicate<Request> which) {
        CompletableFuture<Request> come = new CompletableFuture<>();
        CompletableFuture<Request> held = come.thenApply(request -> {
            hold(Direction.TO_SERVER);
            return request;
        });
        awaited.add(which, Fate.HELD, come);
        return held;
    }

    /** Faults that can happen to a request. */
    private enum Fate {
        LOST,
        REPLY_LOST,
        HELD
    }

    /**
     * Conditions that a test has set. Each condition applies to the next request that matches it, and is then removed.
     */
    private static final class Awaited {
        private record One(Predicate<Request> which, Fate fate, CompletableFuture<Request> come) {}

        private final List<One> all = new ArrayList<>();

        synchronized CompletableFuture<Request> add(
                Predicate<Request> which, Fate fate, CompletableFuture<Request> come) {
            all.add(new One(which, fate, come));
            return come;
        }

        synchronized Optional<One> take(Request request) {
            Optional<One> first =
                    all.stream().filter(one -> one.which.test(request)).findFirst();
            first.ifPresent(all::remove);
            return first;
        }
    }

    /**
     * Reads the frames of ZooKeeper's protocol. A frame starts with its length. A number follows the length, except in
     * the first frame of each direction. A request and its reply have the same number.
     */
    private static final class Frames implements Conversation {
        /** Pseudo-number of the first frame of each direction, which has no number. */
        private static final int GREETING = Integer.MIN_VALUE;

        private final Awaited awaited;
        private final Consumer<byte[]> accepted;
        private final Map<Integer, Runnable> lostReplies = new ConcurrentHashMap<>();
        private final Set<Direction> greeted = EnumSet.noneOf(Direction.class);
        private volatile boolean begins;

        /**
         * Creates a conversation.
         *
         * @param awaited conditions for requests, and the faults of the matching requests
         * @param accepted receives the server's reply to a client that begins a session
         */
        Frames(Awaited awaited, Consumer<byte[]> accepted) {
            this.awaited = awaited;
            this.accepted = accepted;
        }

        @Override
        public byte[] next(Direction direction, DataInputStream sender) throws IOException {
            byte[] frame = new byte[sender.readInt()];
            sender.readFully(frame);
            boolean greeting = isGreeting(direction);
            int number = greeting ? GREETING : ByteBuffer.wrap(frame).getInt();
            if (direction == Direction.TO_SERVER) {
                Request request = greeting ? Request.connecting(frame) : request(frame);
                begins |= greeting && request.has(Request.Type.CONNECT, "0");
                asked(number, request);
            } else {
                if (greeting && begins) {
                    accepted.accept(frame);
                }
                Runnable lost = lostReplies.remove(number);
                if (lost != null) {
                    lost.run();
                    throw new Cut();
                }
            }
            return ByteBuffer.allocate(4 + frame.length)
                    .putInt(frame.length)
                    .put(frame)
                    .array();
        }

        private synchronized boolean isGreeting(Direction direction) {
            return greeted.add(direction);
        }

        private static Request request(byte[] frame) throws IOException {
            int type = ByteBuffer.wrap(frame).getInt(4);
            return Request.parse(type, Arrays.copyOfRange(frame, 8, frame.length));
        }

        private void asked(int number, Request request) throws Cut {
            Optional<Awaited.One> one = awaited.take(request);
            if (one.isEmpty()) {
                return;
            }
            Runnable happens = () -> one.get().come.complete(request);
            switch (one.get().fate) {
                case REPLY_LOST -> lostReplies.put(number, happens);
                case HELD -> happens.run();
                case LOST -> {
                    happens.run();
                    throw new Cut();
                }
            }
        }
    }
}
