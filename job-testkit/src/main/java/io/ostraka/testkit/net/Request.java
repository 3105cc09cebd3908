package io.ostraka.testkit.net;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A request of a ZooKeeper client to its server.
 *
 * @param operations operations of a transaction; for any other request, a list with a single operation
 */
public record Request(List<Operation> operations) {
    private static final int MULTI = 14;
    private static final Map<Integer, Type> TYPES = Map.ofEntries(
            Map.entry(1, Type.CREATE),
            Map.entry(15, Type.CREATE),
            Map.entry(2, Type.DELETE),
            Map.entry(3, Type.EXISTS),
            Map.entry(4, Type.GET_DATA),
            Map.entry(5, Type.SET_DATA),
            Map.entry(8, Type.GET_CHILDREN),
            Map.entry(12, Type.GET_CHILDREN),
            Map.entry(9, Type.SYNC),
            Map.entry(13, Type.CHECK));

    /** Kinds of operations. */
    public enum Type {
        /**
         * Creates or resumes a session. The path is the session's number in hexadecimal digits; 0 for a new session.
         */
        CONNECT,
        /** Creates a node. */
        CREATE,
        /** Deletes a node. */
        DELETE,
        /** Checks whether a node exists. */
        EXISTS,
        /** Reads a node. */
        GET_DATA,
        /** Writes a node. */
        SET_DATA,
        /** Lists the children of a node. */
        GET_CHILDREN,
        /** Makes the server catch up with the leader. */
        SYNC,
        /** Checks the version of a node. */
        CHECK,
        /** Another operation, such as a ping. */
        OTHER
    }

    /**
     * One operation.
     *
     * @param type kind of the operation
     * @param path path of the node; an empty string if the operation has none
     */
    public record Operation(Type type, String path) {}

    /** Copies the operations. */
    public Request {
        operations = List.copyOf(operations);
    }

    /** Returns whether the request has an operation of this type whose whole path matches the pattern. */
    public boolean has(Type type, String pathPattern) {
        return operations.stream().anyMatch(operation -> operation.type == type && operation.path.matches(pathPattern));
    }

    /** Parses the first frame of a connection, with which a client creates or resumes a session. */
    static Request connecting(byte[] frame) {
        long session =
                ByteBuffer.wrap(frame).getLong(4 + 8 + 4); // after the version, the latest transaction and the timeout
        return new Request(List.of(new Operation(Type.CONNECT, Long.toHexString(session))));
    }

    /** Parses the body of a request's frame, without the number of the request. */
    static Request parse(int type, byte[] body) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(body));
        if (type != MULTI) {
            Type known = TYPES.getOrDefault(type, Type.OTHER);
            return new Request(List.of(new Operation(known, known == Type.OTHER ? "" : text(in))));
        }
        List<Operation> operations = new ArrayList<>();
        for (int next = header(in); next >= 0; next = header(in)) {
            Type known = TYPES.getOrDefault(next, Type.OTHER);
            operations.add(new Operation(known, text(in)));
            skipRest(known, in);
        }
        return new Request(operations);
    }

    /** Returns the type of a transaction's next operation; negative at the end of the transaction. */
    private static int header(DataInputStream in) throws IOException {
        int type = in.readInt();
        boolean done = in.readBoolean();
        in.readInt(); // an unused error code
        return done ? -1 : type;
    }

    private static void skipRest(Type type, DataInputStream in) throws IOException {
        switch (type) {
            case CREATE -> {
                bytes(in);
                int rules = in.readInt();
                for (int rule = 0; rule < rules; rule++) {
                    in.readInt();
                    bytes(in);
                    bytes(in);
                }
                in.readInt();
            }
            case SET_DATA -> {
                bytes(in);
                in.readInt();
            }
            case DELETE, CHECK -> in.readInt();
            default -> throw new IOException("no operation of a transaction: " + type);
        }
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(bytes(in), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[Math.max(0, in.readInt())];
        in.readFully(bytes);
        return bytes;
    }
}
