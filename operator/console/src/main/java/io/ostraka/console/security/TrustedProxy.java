package io.ostraka.console.security;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A reverse proxy that authenticates people and passes their names in a header. The proxy proves itself by a secret in
 * the header {@value #SECRET_HEADER}. The proxy must remove these headers from the requests that it receives. Immutable.
 */
public final class TrustedProxy {
    /** Header that carries the secret. */
    public static final String SECRET_HEADER = "X-Ostraka-Proxy-Secret";
    /** Header in which the proxy adds the address of its client. */
    static final String CLIENT_HEADER = "X-Forwarded-For";
    /** Name of the user in {@code users} whose grants all users get. */
    public static final String EVERYONE = "*";

    private static final int SHORTEST_SECRET = 32;
    private static final Set<String> RESERVED =
            Set.of("authorization", "content-length", "content-type", "cookie", "host", "origin", "sec-fetch-site");

    private final String userHeader;
    private final @Nullable String groupsHeader;
    private final byte[] secretDigest;
    private final Map<String, List<Grant>> users;
    private final Map<String, List<Grant>> groups;

    /**
     * A user that the proxy has authenticated.
     *
     * @param name name of the user
     * @param grants grants of the user and of the user's groups
     */
    record User(String name, Set<Grant> grants) {}

    /**
     * Creates the settings of a proxy.
     *
     * @param userHeader name of the header with the name of the user, such as {@code X-Forwarded-User}
     * @param groupsHeader name of the header with the user's groups, separated by commas; null to ignore groups
     * @param secret secret of the proxy, at least 32 characters
     * @param users grants by the name of the user; {@value #EVERYONE} stands for every user
     * @param groups grants by the name of the group
     * @throws IllegalArgumentException if a value is not accepted
     */
    public TrustedProxy(
            String userHeader,
            @Nullable String groupsHeader,
            String secret,
            Map<String, ? extends Collection<Grant>> users,
            Map<String, ? extends Collection<Grant>> groups) {
        this.userHeader = header(userHeader);
        this.groupsHeader = groupsHeader == null ? null : header(groupsHeader);
        if (this.userHeader.equals(this.groupsHeader)) {
            throw new IllegalArgumentException(
                    "header '" + userHeader + "' is named for the user and for the groups; name two headers");
        }
        if (secret.length() < SHORTEST_SECRET || !secret.chars().allMatch(each -> each > ' ' && each < 127)) {
            throw new IllegalArgumentException("secret of the proxy is not accepted; accepted: at least "
                    + SHORTEST_SECRET + " visible ASCII characters");
        }
        if (groupsHeader == null && !groups.isEmpty()) {
            throw new IllegalArgumentException("grants for groups need the name of the header with the groups");
        }
        this.secretDigest = Secrets.sha256(secret);
        this.users = copy(users);
        this.groups = copy(groups);
    }

    private static String header(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        boolean accepted = !lower.isEmpty()
                && lower.chars()
                        .allMatch(each -> each >= 'a' && each <= 'z' || each >= '0' && each <= '9' || each == '-')
                && !RESERVED.contains(lower)
                && !lower.equals(SECRET_HEADER.toLowerCase(Locale.ROOT));
        if (!accepted) {
            throw new IllegalArgumentException("header '" + Names.printable(name)
                    + "' is not accepted; accepted: letters, digits and hyphens, and no header with another meaning");
        }
        return lower;
    }

    private static Map<String, List<Grant>> copy(Map<String, ? extends Collection<Grant>> grants) {
        Map<String, List<Grant>> copy = new TreeMap<>();
        grants.forEach((name, each) -> copy.put(name, List.copyOf(each)));
        return copy;
    }

    /** Returns whether a request has the header with the user. */
    boolean isNamedBy(Request request) {
        return request.headers().containsKey(userHeader);
    }

    /** Returns whether the proxy has sent a request, which its secret proves. */
    private boolean sent(Request request) {
        return MessageDigest.isEqual(
                secretDigest, Secrets.sha256(request.header(secretHeader()).orElse("")));
    }

    /**
     * Returns the address of the client: the last one in the header {@value #CLIENT_HEADER} if the proxy has sent the
     * request; otherwise, the address of the connection.
     */
    String client(Request request) {
        List<String> forwarded = request.headers().getOrDefault(CLIENT_HEADER.toLowerCase(Locale.ROOT), List.of());
        if (forwarded.isEmpty() || !sent(request)) {
            return request.client();
        }
        String last = forwarded.get(forwarded.size() - 1);
        return last.substring(last.lastIndexOf(',') + 1).strip();
    }

    /**
     * Returns the user of a request.
     *
     * @return empty if the request has no header with a user
     * @throws Problem if the request has the header, but not the secret; or if a header is not accepted
     */
    Optional<User> user(Request request) {
        if (!isNamedBy(request)) {
            return Optional.empty();
        }
        if (!sent(request)) {
            throw Credentials.unauthenticated(
                    "the request names a user, but does not come from the proxy; log in through the proxy");
        }
        String name = request.header(userHeader)
                .filter(Names::accepts)
                .orElseThrow(() -> Credentials.unauthenticated(
                        "the proxy has sent no acceptable name of a user; check the settings of the proxy"));
        Set<Grant> grants = new LinkedHashSet<>(users.getOrDefault(name, List.of()));
        grants.addAll(users.getOrDefault(EVERYONE, List.of()));
        for (String group : groups(request)) {
            grants.addAll(groups.getOrDefault(group.strip(), List.of()));
        }
        return Optional.of(new User(name, grants));
    }

    private List<String> groups(Request request) {
        if (groupsHeader == null || !request.headers().containsKey(groupsHeader)) {
            return List.of();
        }
        return List.of(request.header(groupsHeader)
                .orElseThrow(() -> Credentials.unauthenticated(
                        "the header with the groups was sent more than once; check the settings of the proxy"))
                .split(",", -1));
    }

    private static String secretHeader() {
        return SECRET_HEADER.toLowerCase(Locale.ROOT);
    }
}
