package io.ostraka.console.security;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sessions of logged-in people. The id of a session consists of 256 random bits; the memory holds only its digest.
 * A session ends at the logout, when it has been idle for too long, and when its longest duration has passed. At the
 * largest number of sessions, a new session ends the session that has been idle the longest. Thread-safe.
 */
final class Sessions {
    static final int MOST = 10_000;

    /** Number of hexadecimal digits of a session's name for people. They are a part of the digest of its secret id. */
    private static final int SHOWN = 16;

    private final Duration longestIdle;
    private final Duration longest;
    private final InstantSource clock;
    /** Sessions by the digest of their id. The session that has been idle the longest comes first. */
    private final Map<String, Session> sessions = new LinkedHashMap<>();

    /**
     * A session.
     *
     * @param id name of the session for people, which is no credential
     * @param caller the person
     * @param client address of the client at the login
     * @param start time of the login
     * @param used time of the last request that counts as use
     */
    record Session(String id, GrantedCaller caller, String client, Instant start, Instant used) {}

    Sessions(Duration longestIdle, Duration longest, InstantSource clock) {
        this.longestIdle = longestIdle;
        this.longest = longest;
        this.clock = clock;
    }

    /**
     * Starts a session, and returns its secret id, which only the cookie contains.
     *
     * @param client address of the client
     */
    synchronized String start(GrantedCaller caller, String client) {
        Instant now = clock.instant();
        Iterator<Session> oldestFirst = sessions.values().iterator();
        while (oldestFirst.hasNext() && (hasEnded(oldestFirst.next(), now) || sessions.size() >= MOST)) {
            oldestFirst.remove();
        }
        String id = Secrets.create();
        String key = digest(id);
        sessions.put(key, new Session(key.substring(0, SHOWN), caller, client, now, now));
        return id;
    }

    /**
     * Returns the caller of a session.
     *
     * @param use true to count the request as use, which defers the end of an idle session
     * @return empty if the session has ended or never existed
     */
    synchronized Optional<GrantedCaller> find(String id, boolean use) {
        String key = digest(id);
        Session session = sessions.get(key);
        if (session == null) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        if (hasEnded(session, now)) {
            sessions.remove(key);
            return Optional.empty();
        }
        if (use) {
            sessions.remove(key);
            sessions.put(key, new Session(session.id(), session.caller(), session.client(), session.start(), now));
        }
        return Optional.of(session.caller());
    }

    /** Ends a session by its secret id; does nothing if it has ended. */
    synchronized void end(String id) {
        sessions.remove(digest(id));
    }

    /** Ends a session that {@link #all} has returned; does nothing if it has ended. */
    synchronized void end(Session session) {
        sessions.values().removeIf(each -> each.id().equals(session.id()));
    }

    /** Returns the sessions that have not ended. The session that has been idle the longest comes first. */
    synchronized List<Session> all() {
        Instant now = clock.instant();
        sessions.values().removeIf(each -> hasEnded(each, now));
        return List.copyOf(sessions.values());
    }

    /** Returns the name of a session for people by its secret id. */
    static String shown(String id) {
        return digest(id).substring(0, SHOWN);
    }

    synchronized int size() {
        return sessions.size();
    }

    private boolean hasEnded(Session session, Instant now) {
        return !now.isBefore(session.used().plus(longestIdle))
                || !now.isBefore(session.start().plus(longest));
    }

    private static String digest(String id) {
        return HexFormat.of().formatHex(Secrets.sha256(id));
    }
}
