package io.ostraka.console.security;

import io.ostraka.console.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down failed logins. After {@value #PER_USER} failures of a user name from one client address within {@link
 * #PERIOD}, each further attempt has to wait: 1 s, 2 s, 4 s and so on, at most {@link #LONGEST_PAUSE}. After {@value
 * #PER_USER_IN_TOTAL} failures of a user name from all addresses, it has to wait for one second. Thread-safe.
 *
 * <p>No limit refuses a user for long, because an attacker could then lock the user out without end. There is no limit for
 * an address alone: all people behind one proxy can have one address, and a few wrong passwords would lock out all.
 *
 * <p>An attempt counts as failed from its start, so that parallel requests cannot exceed a limit. A success resets the
 * counts of the user. A refused attempt does not count. An IPv6 client is counted by the 64-bit prefix of its address,
 * because one host usually has all addresses of a prefix.
 *
 * <p>Each count keeps at most {@value #MOST} keys, and forgets the key whose last failure is the oldest.
 */
final class LoginLimit {
    static final Duration PERIOD = Duration.ofMinutes(5);
    static final int PER_USER = 5;
    static final int PER_USER_IN_TOTAL = 20;
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    static final int MOST = 10_000;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    private final InstantSource clock;
    private final Failures<Pair> pairs = new Failures<>(PER_USER, LONGEST_PAUSE);
    private final Failures<String> users = new Failures<>(PER_USER_IN_TOTAL, FIRST_PAUSE);

    private record Pair(String user, String client) {}

    LoginLimit(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Counts an attempt as failed.
     *
     * @throws Problem if the attempt has to wait
     */
    synchronized void begin(String user, String client) {
        Instant now = clock.instant();
        Pair pair = new Pair(user, Networks.of(client));
        Duration wait = wait(pair, now);
        if (wait.compareTo(Duration.ZERO) > 0) {
            throw refused(wait.plusMillis(999).toSeconds());
        }
        pairs.add(pair, now);
        users.add(user, now);
    }

    private Duration wait(Pair pair, Instant now) {
        Duration ofPair = pairs.wait(pair, now);
        Duration ofUser = users.wait(pair.user(), now);
        return ofPair.compareTo(ofUser) > 0 ? ofPair : ofUser;
    }

    /** Resets the counts of the user. */
    synchronized void succeeded(String user, String client) {
        pairs.reset(new Pair(user, Networks.of(client)));
        users.reset(user);
    }

    /** Returns whether the next attempt has to wait. */
    synchronized boolean isReached(String user, String client) {
        return wait(new Pair(user, Networks.of(client)), clock.instant()).compareTo(Duration.ZERO) > 0;
    }

    synchronized int size() {
        return Math.max(pairs.size(), users.size());
    }

    static Problem refused(long seconds) {
        return new Problem(
                        Problem.Code.TOO_MANY_REQUESTS,
                        "there were too many logins; wait " + seconds + " s and log in again")
                .header("Retry-After", String.valueOf(seconds));
    }

    /** Times of failures by key. */
    private static final class Failures<K> {
        private final int limit;
        private final Duration longestPause;
        /** Failures by key. The key whose last failure is the oldest comes first. */
        private final Map<K, Deque<Instant>> times = new LinkedHashMap<>();

        Failures(int limit, Duration longestPause) {
            this.limit = limit;
            this.longestPause = longestPause;
        }

        /** Returns the time until the next attempt is accepted. */
        Duration wait(K key, Instant now) {
            Deque<Instant> failures = times.get(key);
            if (failures == null) {
                return Duration.ZERO;
            }
            while (!failures.isEmpty() && !now.isBefore(failures.getFirst().plus(PERIOD))) {
                failures.removeFirst();
            }
            if (failures.size() < limit) {
                return Duration.ZERO;
            }
            Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures.size() - limit, 30));
            return Duration.between(
                    now, failures.getLast().plus(pause.compareTo(longestPause) < 0 ? pause : longestPause));
        }

        void add(K key, Instant now) {
            Deque<Instant> known = times.remove(key);
            Deque<Instant> failures = known == null ? new ArrayDeque<>(limit) : known;
            failures.addLast(now);
            times.put(key, failures);
            Iterator<Deque<Instant>> oldestFirst = times.values().iterator();
            while (oldestFirst.hasNext() && (hasPassed(oldestFirst.next(), now) || times.size() > MOST)) {
                oldestFirst.remove();
            }
        }

        private static boolean hasPassed(Deque<Instant> failures, Instant now) {
            return failures.isEmpty() || !now.isBefore(failures.getLast().plus(PERIOD));
        }

        void reset(K key) {
            times.remove(key);
        }

        int size() {
            return times.size();
        }
    }
}
