package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.Namespaces;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Sends random hostile requests. A request is answered only with a valid credential and an accepted host, and a write of
 * a browser only from a page of the console. No request makes the console fail, and no response repeats a control
 * character.
 */
class SecuredApiFuzzTest {
    private static final String COOKIE = Sent.get("/").cookie();
    private static final int REQUESTS = 10_000;

    /** Statuses of answered and of refused requests. */
    private static final Set<Integer> STATUSES =
            Set.of(200, 204, 400, 401, 403, 404, 405, 409, 412, 413, 415, 421, 422, 429);

    /** A text that depends on no request. Its line breaks are control characters. */
    private static final String DOCUMENT = "/api/v1/openapi.json";

    private static final String PASSWORD = "correct horse battery";
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final long seed = Long.getLong("ostraka.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final String token = Tokens.create();
    private final String expiredToken = Tokens.create();
    /** Chance in percent that a part of the request is hostile. */
    private int hostility;

    private final SecuredApi api = api();
    private String session = login();

    private SecuredApi api() {
        ManualClock clock = new ManualClock();
        String hash = new Passwords().create(PASSWORD.toCharArray(), 100_000).text();
        List<Grant> admin = List.of(Grant.parse("ADMIN"));
        Operations operations = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Operations.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "execute" -> new CommandResult.Applied(1, "", "done");
                    case "jobs", "alarms", "backfills", "instances", "activity", "items", "nextFires", "diff" ->
                        List.of();
                    case "explain", "export" -> "{}";
                    case "run" -> Optional.empty();
                    default -> throw CoordinationException.notFound("there is no " + Arrays.toString(arguments));
                });
        return new SecuredApi(
                new Api(
                        new Namespaces() {
                            @Override
                            public List<String> names() {
                                return List.of("orders");
                            }

                            @Override
                            public Optional<Operations> operations(String namespace) {
                                return namespace.equals("orders") ? Optional.of(operations) : Optional.empty();
                            }
                        },
                        false),
                SecuritySettings.newBuilder()
                        .user("ann", hash, admin)
                        .user("zoe", hash, admin)
                        .token("ci", Tokens.digest(token), Instant.MAX, admin)
                        .token("old", Tokens.digest(expiredToken), clock.instant(), admin)
                        .proxy(new TrustedProxy("X-User", "X-Groups", SECRET, Map.of("*", admin), Map.of()))
                        .build(),
                (namespace, job) -> Map.of(),
                clock,
                (name, client, success, reason) -> assertThat(name + client + reason)
                        .matches(each -> each.chars().noneMatch(Character::isISOControl)),
                password -> {});
    }

    private String login() {
        String cookie = api.handle(
                        Sent.login("zoe", PASSWORD).from("198.51.100.7").request())
                .headers()
                .get("Set-Cookie");
        return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
    }

    @SafeVarargs
    private <T> T one(T... values) {
        return values[random.nextInt(values.length)];
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** Returns a random text in which control characters, quotes and other special characters are frequent. */
    private String noise(int longest) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(longest + 1); length > 0; length--) {
            text.append(one(
                    "\u0000",
                    "\r\n",
                    "\u001b[31m",
                    "\u007f",
                    "\u0085",
                    "\u009b",
                    "\u2028",
                    "\u202e",
                    "\ud800",
                    "\"",
                    "'",
                    "\\",
                    "<script>",
                    "%",
                    "%00",
                    "%0d%0a",
                    "%c0%af",
                    "../",
                    "/",
                    ";",
                    ",",
                    "=",
                    "&",
                    "$",
                    "{",
                    "[",
                    "é",
                    "😀",
                    "a",
                    "ann",
                    "null",
                    "-1",
                    "99999999999"));
        }
        return text.toString();
    }

    /** Returns a value, sometimes with a small change that makes it another value. */
    private String damaged(String value) {
        if (chance(60) || value.isEmpty()) {
            return value;
        }
        int at = random.nextInt(value.length());
        return switch (random.nextInt(5)) {
            case 0 -> value.substring(0, at);
            case 1 -> value.substring(0, at) + noise(2) + value.substring(at);
            case 2 -> value.toUpperCase(Locale.ROOT);
            case 3 -> value + value;
            default -> value + noise(3);
        };
    }

    private String path() {
        String operation =
                one(Operation.values()).name().toLowerCase(Locale.ROOT).replace('_', '-');
        return part(one(
                "/api/v1/session",
                "/api/v1/session",
                DOCUMENT,
                "/api/v1/namespaces",
                "/api/v1/namespaces/orders",
                "/api/v1/namespaces/orders/jobs",
                "/api/v1/namespaces/orders/" + operation,
                "/api/v1/namespaces/orders/jobs/settle/" + operation,
                "/api/v1/namespaces/orders/jobs/" + noise(3) + "/runs/" + noise(3),
                "/api/v1/namespaces/" + noise(3),
                "/" + noise(10)));
    }

    private byte[] body() {
        String text = one(
                "",
                "{}",
                "{\"user\":\"ann\",\"password\":\"" + damaged(PASSWORD) + "\"}",
                "{\"user\":\"" + noise(3) + "\",\"password\":\"" + noise(3) + "\"}",
                "{\"" + noise(3) + "\":1}",
                "{\"a\u0085\":1,\"a\u0085\":2}",
                "{\"reason\":\"" + noise(5) + "\",\"requestId\":\"" + noise(5) + "\"}",
                "{\"fields\":{\"" + noise(2) + "\":\"" + noise(2) + "\"}}",
                "{\"item\":" + "[".repeat(random.nextInt(200)),
                "{\"item\":1e" + "9".repeat(random.nextInt(60)) + "}",
                noise(30));
        byte[] bytes =
                part(text).getBytes(one(StandardCharsets.UTF_8, StandardCharsets.UTF_16, StandardCharsets.ISO_8859_1));
        if (chance(3)) {
            random.nextBytes(bytes);
        }
        return random.nextInt(500) == 0 ? new byte[Request.LARGEST_BODY + 1] : bytes;
    }

    /** Returns the first value, or in a hostile part of a request a damaged one of all values. */
    private String part(String good, String... others) {
        if (!chance(hostility)) {
            return good;
        }
        return damaged(chance(30) || others.length == 0 ? good : one(others));
    }

    /** Returns a request with few or many hostile parts. */
    private Sent hostile() {
        hostility = one(0, 5, 15, 50);
        String method = part(one("GET", "GET", "POST", "POST", "POST", "DELETE"), "PUT", "HEAD", "get", noise(2));
        Sent sent = Sent.of(method, path() + (chance(hostility) ? "?" + noise(6) : ""))
                .body(body())
                .from(one("192.0.2.1", "2001:db8::1", noise(3)))
                .with("host", part(one("localhost", "localhost:8080", "[::1]:1"), "evil.example", noise(3)));
        if (chance(hostility / 5)) {
            sent.and("host", one("localhost", "evil.example"));
        }
        if (!chance(hostility)) {
            sent.with("content-type", part("application/json", "text/plain", noise(3)));
        }
        if (chance(50)) {
            sent.with("sec-fetch-site", part("same-origin", "none", "cross-site", noise(2)));
        }
        if (chance(50)) {
            sent.with("origin", part("http://localhost", "https://localhost", "null", "http://evil.example", noise(3)));
        }
        if (chance(30)) {
            sent.with("authorization", part("Bearer " + token, "Bearer " + expiredToken, "Basic " + token, noise(5)));
        }
        if (chance(30)) {
            sent.with("cookie", part("a=b; " + COOKIE + session, COOKIE + noise(3), noise(9)));
        }
        if (chance(20)) {
            sent.with("x-user", part("zoe", "bob", noise(3)));
            sent.with("x-ostraka-proxy-secret", part(SECRET, "", noise(3)));
            sent.with("x-groups", part("ops", noise(5)));
        }
        if (chance(hostility)) {
            sent.with("if-match", part("\"1\"", "*", noise(3)));
        }
        return sent;
    }

    /** Returns whether a request may be answered with a success, by rules that are simpler than those of the console. */
    private boolean mayBeAnswered(Request request) {
        boolean host = request.header("host")
                .orElse("")
                .toLowerCase(Locale.ROOT)
                .matches("(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d+)?");
        boolean byToken = request.header("authorization").orElse("").matches("(?i:bearer)\\s+" + token + "\\s*");
        boolean bySession =
                request.headers().getOrDefault("cookie", List.of()).toString().contains(COOKIE + session);
        boolean byProxy = request.headers().containsKey("x-user")
                && request.header("x-ostraka-proxy-secret").orElse("").equals(SECRET);
        boolean byPassword = request.method().equals("POST")
                && request.path().equals(SecuredApi.SESSION)
                && new String(request.body(), StandardCharsets.UTF_8).contains(PASSWORD)
                && !request.headers().containsKey("authorization")
                && !request.headers().containsKey("x-user");
        boolean forgedProxy = request.headers().containsKey("x-user") && !byProxy;
        boolean read = request.method().equals("GET") || request.isHead();
        boolean ownPage = request.headers().containsKey("sec-fetch-site")
                ? request.header("sec-fetch-site").orElse("").equals("same-origin")
                : request.header("origin").orElse("").toLowerCase(Locale.ROOT).matches("http://localhost(:8080|:80)?");
        return host && !forgedProxy && (byToken || bySession || byProxy || byPassword) && (read || ownPage || byToken);
    }

    @Tag("slow")
    @Test
    void hostileRequestIsNeverAnsweredAndNeverBreaksAnything() {
        int answered = 0;
        for (int i = 0; i < REQUESTS; i++) {
            Request request = hostile().request();
            Response response = api.handle(request);
            String name = "seed %d, request %d: %s %s?%s %s"
                    .formatted(seed, i, request.method(), request.path(), request.query(), request.headers());

            assertThat(response.status()).as(name).isIn(STATUSES);
            if (response.status() < 400) {
                assertThat(mayBeAnswered(request))
                        .as(name + " " + response.status())
                        .isTrue();
                answered++;
                if (request.path().equals(SecuredApi.SESSION)
                        && !request.method().equals("GET")) {
                    session = login();
                }
            }
            boolean document = response.status() == 200 && request.path().equals(DOCUMENT);
            assertThat((document ? "" : response.text().strip()).chars().filter(Character::isISOControl))
                    .as(name + " " + response.text())
                    .isEmpty();
            assertThat(String.join("", response.headers().values()).chars().filter(Character::isISOControl))
                    .as(name)
                    .isEmpty();
            assertThat(response.sentHeaders()).as(name).containsEntry("X-Content-Type-Options", "nosniff");
            assertThat(response.text()).as(name).doesNotContain(PASSWORD, SECRET, token, session);
        }

        assertThat(answered).as("seed %d", seed).isGreaterThan(REQUESTS / 50);
    }
}
