package io.ostraka.console.security;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies names and passwords. A wrong password and an unknown name have the same answer and the same cost.
 * Thread-safe.
 */
final class Logins {
    private static final Logger log = LoggerFactory.getLogger(Logins.class);

    private static final String USER = "user";
    private static final String PASSWORD = "password";

    private final Map<String, SecuritySettings.User> users;
    private final @Nullable OneTimePassword oneTime;
    private final Passwords passwords;
    private final LoginLimit limit;
    private final LoginAudit audit;
    private final int cost;
    private final LoginPlaces places = new LoginPlaces();

    /**
     * A user who has logged in.
     *
     * @param name name of the user
     * @param grants grants of the user
     */
    record LoggedIn(String name, List<Grant> grants) {}

    /** @param oneTime password of the first login; null if the settings name a user, a token or a proxy */
    Logins(
            Map<String, SecuritySettings.User> users,
            @Nullable OneTimePassword oneTime,
            Passwords passwords,
            LoginLimit limit,
            LoginAudit audit) {
        this.users = Map.copyOf(users);
        this.oneTime = oneTime;
        this.passwords = passwords;
        this.limit = limit;
        this.audit = audit;
        this.cost = users.values().stream()
                .mapToInt(user -> user.password().iterations())
                .max()
                .orElse(oneTime == null ? 0 : Passwords.ITERATIONS);
    }

    /**
     * Logs in the user in the body of a request.
     *
     * @param client address of the client
     * @throws Problem if the body is not accepted, if the name or the password is wrong, or if a limit is reached
     */
    LoggedIn login(Request request, String client) {
        JsonObject body = request.json();
        if (!Set.of(USER, PASSWORD).containsAll(body.keySet())) {
            throw new Problem(Problem.Code.INVALID, "the body of a login has only the members user and password");
        }
        String user = text(body, USER, Names.LONGEST);
        char[] password = text(body, PASSWORD, Passwords.LONGEST).toCharArray();
        try {
            return places.verify(client, () -> login(user, password, client));
        } finally {
            Arrays.fill(password, '\0');
        }
    }

    private LoggedIn login(String user, char[] password, String client) {
        limit.begin(user, client);
        LoggedIn verified = verify(user, password);
        if (verified == null) {
            report(
                    user,
                    client,
                    false,
                    limit.isReached(user, client)
                            ? "wrong user or password; the limit of failed logins is reached"
                            : "wrong user or password");
            throw Credentials.unauthenticated("the user or the password is wrong");
        }
        limit.succeeded(user, client);
        report(user, client, true, oneTime == null ? "password" : "one-time password");
        return verified;
    }

    private @Nullable LoggedIn verify(String user, char[] password) {
        SecuritySettings.User known = users.get(user);
        if (oneTime != null && user.equals(OneTimePassword.USER)) {
            PasswordHash hash = oneTime.hash();
            return passwords.verify(password, hash, cost) && hash != null && oneTime.use(hash)
                    ? new LoggedIn(user, List.of(new Grant(Role.ADMIN, "*", "*", Map.of())))
                    : null;
        }
        return passwords.verify(password, known == null ? null : known.password(), cost) && known != null
                ? new LoggedIn(user, known.grants())
                : null;
    }

    private static String text(JsonObject body, String name, int longest) {
        JsonElement value = body.get(name);
        if (!(value instanceof JsonPrimitive primitive && primitive.isString())
                || value.getAsString().isEmpty()
                || value.getAsString().length() > longest) {
            throw new Problem(
                            Problem.Code.INVALID,
                            "the member " + name + " is not accepted; accepted: a text of 1 to " + longest
                                    + " characters")
                    .with("field", name);
        }
        return value.getAsString();
    }

    private void report(String user, String client, boolean success, String reason) {
        report(user, () -> audit.login(Names.printable(user), Names.printable(client), success, reason));
    }

    /** Reports the end of a user's session. */
    void ended(String user, String client, String reason) {
        report(user, () -> audit.ended(Names.printable(user), Names.printable(client), reason));
    }

    /** Stores an entry. Ignores a failure of the audit, which must not lock out the people who could repair it. */
    private static void report(String user, Runnable entry) {
        try {
            entry.run();
        } catch (RuntimeException e) {
            log.warn(
                    "a login or a logout of '{}' was not stored in the audit; check the audit",
                    Names.printable(user),
                    e);
        }
    }
}
