package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
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
 * A way to a ZooKeeper server that understands what is said on it, as long as that is not encrypted: it can lose the
 * reply to a chosen request, or the request itself. Thread-safe.
 */
public final class ZooKeeperProxy extends TcpProxy {
    private final Losses losses;
    private final AtomicReference<@Nullable ClientSession> session;

    /**
     * Opens a way, on a free port.
     *
     * @param serverPort where the server listens; it need not yet
     */
    public ZooKeeperProxy(int serverPort) {
        this(serverPort, new Losses(), new AtomicReference<>());
    }

    private ZooKeeperProxy(int serverPort, Losses losses, AtomicReference<@Nullable ClientSession> session) {
        super(
                serverPort,
                Duration.ZERO,
                () -> new Frames(losses, answer -> session.set(ClientSession.of(serverPort, answer))));
        this.losses = losses;
        this.session = session;
    }

    /** Returns the session that the server gave out last to a client of this proxy, one that is gone on with not counted. */
    public ClientSession session() {
        ClientSession last = session.get();
        if (last == null) {
            throw new IllegalStateException("no client has a session yet");
        }
        return last;
    }

    /**
     * Lets the next such request reach the server, and resets the connection instead of passing the reply on: what the
     * client asked for is done, or refused, and the client doesn't know.
     *
     * @return completed when that has happened
     */
    public CompletableFuture<Request> loseReply(Predicate<Request> which) {
        return losses.add(which, Direction.TO_CLIENT);
    }

    /**
     * Resets the connection instead of passing the next such request on: nothing of it is done, and the client doesn't
     * know.
     *
     * @return completed when that has happened
     */
    public CompletableFuture<Request> loseRequest(Predicate<Request> which) {
        return losses.add(which, Direction.TO_SERVER);
    }

    /** What is to be lost, once each. */
    private static final class Losses {
        private final List<Loss> awaited = new ArrayList<>();

        synchronized CompletableFuture<Request> add(Predicate<Request> which, Direction direction) {
            Loss loss = new Loss(which, direction, new CompletableFuture<>());
            awaited.add(loss);
            return loss.happened;
        }

        synchronized Optional<Loss> take(Request request) {
            for (Iterator<Loss> all = awaited.iterator(); all.hasNext(); ) {
                Loss loss = all.next();
                if (loss.which.test(request)) {
                    all.remove();
                    return Optional.of(loss);
                }
            }
            return Optional.empty();
        }
    }

    private record Loss(Predicate<Request> which, Direction direction, CompletableFuture<Request> happened) {}

    /** ZooKeeper's frames: a length, and then, but for the first each way, a number that a request and its reply share. */
    private static final class Frames implements Conversation {
        /** The first frame each way has no number. */
        private static final int GREETING = Integer.MIN_VALUE;

        private final Losses losses;
        private final Consumer<byte[]> accepted;
        private final Map<Integer, Runnable> lostReplies = new ConcurrentHashMap<>();
        private final Set<Direction> greeted = EnumSet.noneOf(Direction.class);
        private volatile boolean begins;

        /**
         * @param accepted told the server's answer to a client that begins a session
         */
        Frames(Losses losses, Consumer<byte[]> accepted) {
            this.losses = losses;
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
            Optional<Loss> loss = losses.take(request);
            if (loss.isEmpty()) {
                return;
            }
            Runnable happened = () -> loss.get().happened.complete(request);
            if (loss.get().direction == Direction.TO_SERVER) {
                happened.run();
                throw new Cut();
            }
            lostReplies.put(number, happened);
        }
    }
}
