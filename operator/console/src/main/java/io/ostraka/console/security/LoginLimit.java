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
 * Limits failed logins within {@link #PERIOD}: {@value #PER_USER} per user name and client address, {@value
 * #PER_USER_IN_TOTAL} per user name from all addresses, and {@value #PER_CLIENT} per client address for all user names.
 * Thread-safe.
 *
 * <p>The limit of {@value #PER_USER} counts a user name together with the address. If it counted the name alone, one
 * attacker could send five wrong passwords every five minutes and lock the user out everywhere without end. With the
 * pair, the attacker only locks out the attacker's own address. An attacker with many addresses is bounded by the limit
 * per user from all addresses. Such an attacker can still lock out a user for as long as the attack lasts; sessions,
 * tokens and the proxy are not affected.
 *
 * <p>An attempt counts as failed from its start, so that parallel requests cannot exceed a limit. A success takes back
 * this count, and resets the counts of the user. It does not reset the count of the address, because an attacker could
 * otherwise reset that count with an account of its own. A refused attempt does not count, so a limit ends after at
 * most {@link #PERIOD}. An IPv6 client is counted by the 64-bit prefix of its address, because one host usually has all
 * addresses of a prefix.
 *
 * <p>Each count keeps at most {@value #MOST} keys, and forgets the key whose last failure is the oldest. To make the
 * limit forget a key early, an attacker needs hundreds of addresses.
 */
final class LoginLimit {
    static final Duration PERIOD = Duration.ofMinutes(5);
    static final int PER_USER = 5;
    static final int PER_USER_IN_TOTAL = 20;
    static final int PER_CLIENT = 20;
    static final int MOST = 10_000;

    private final InstantSource clock;
    private final Failures<Pair> pairs = new Failures<>(PER_USER);
    private final Failures<String> users = new Failures<>(PER_USER_IN_TOTAL);
    private final Failures<String> clients = new Failures<>(PER_CLIENT);

    private record Pair(String user, String client) {}

    LoginLimit(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Counts an attempt as failed.
     *
     * @throws Problem if a limit is reached
     */
    synchronized void begin(String user, String client) {
        Instant now = clock.instant();
        String network = Networks.of(client);
        Pair pair = new Pair(user, network);
        Duration wait = longer(longer(pairs.wait(pair, now), users.wait(user, now)), clients.wait(network, now));
        if (wait.compareTo(Duration.ZERO) > 0) {
            throw refused(wait.plusMillis(999).toSeconds());
        }
        pairs.add(pair, now);
        users.add(user, now);
        clients.add(network, now);
    }

    /** Takes back the attempt, and resets the counts of the user. */
    synchronized void succeeded(String user, String client) {
        String network = Networks.of(client);
        pairs.reset(new Pair(user, network));
        users.reset(user);
        clients.takeBack(network);
    }

    /** Returns whether the next attempt would be refused. */
    synchronized boolean isReached(String user, String client) {
        Instant now = clock.instant();
        String network = Networks.of(client);
        return !pairs.wait(new Pair(user, network), now).isZero()
                || !users.wait(user, now).isZero()
                || !clients.wait(network, now).isZero();
    }

    synchronized int size() {
        return Math.max(pairs.size(), Math.max(users.size(), clients.size()));
    }

    static Problem refused(long seconds) {
        return new Problem(
                        Problem.Code.TOO_MANY_REQUESTS,
                        "there were too many logins; wait " + seconds + " s and log in again")
                .header("Retry-After", String.valueOf(seconds));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Times of failures by key. */
    private static final class Failures<K> {
        private final int limit;
        /** Failures by key. The key whose last failure is the oldest comes first. */
        private final Map<K, Deque<Instant>> times = new LinkedHashMap<>();

        Failures(int limit) {
            this.limit = limit;
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
            return failures.size() < limit
                    ? Duration.ZERO
                    : Duration.between(now, failures.getFirst().plus(PERIOD));
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

        void takeBack(K key) {
            Deque<Instant> failures = times.get(key);
            if (failures != null) {
                failures.pollLast();
            }
        }

        int size() {
            return times.size();
        }
    }
}
