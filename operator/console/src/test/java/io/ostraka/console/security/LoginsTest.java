package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ostraka.console.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests logins by password, with a derivation that costs nothing. */
class LoginsTest {
    private static final String PASSWORD = "correct horse battery";

    private final ManualClock clock = new ManualClock();
    private final List<String> audited = new ArrayList<>();
    private final List<Integer> cost = new ArrayList<>();
    private final Passwords passwords = new Passwords((password, salt, iterations) -> {
        synchronized (cost) {
            cost.add(iterations);
        }
        byte[] hash = Secrets.sha256(new String(password) + Arrays.toString(salt) + iterations);
        return Arrays.copyOf(hash, PasswordHash.HASH_BYTES);
    });
    private final LoginAudit audit =
            (name, client, success, reason) -> audited.add(name + " " + client + " " + success + " " + reason);

    private Logins logins() {
        return logins(audit);
    }

    private Logins logins(LoginAudit to) {
        return new Logins(
                Map.of(
                        "ann", user("ann", 200_000),
                        "bob", user("bob", 700_000)),
                null,
                passwords,
                new LoginLimit(clock),
                to);
    }

    private SecuritySettings.User user(String name, int iterations) {
        return new SecuritySettings.User(
                name, passwords.create(PASSWORD.toCharArray(), iterations), List.of(Grant.parse("VIEWER")));
    }

    private static Problem refused(Logins logins, Sent login) {
        Problem problem = catchThrowableOfType(Problem.class, () -> login(logins, login));
        assertThat(problem).isNotNull();
        return problem;
    }

    private int spent(Runnable login) {
        cost.clear();
        login.run();
        return cost.stream().mapToInt(each -> each).sum();
    }

    private static Logins.LoggedIn login(Logins logins, Sent sent) {
        return logins.login(sent.request(), sent.request().client());
    }

    @Test
    void userLogsInByPassword() {
        Logins.LoggedIn user = login(logins(), Sent.login("ann", PASSWORD));

        assertThat(user).isEqualTo(new Logins.LoggedIn("ann", List.of(Grant.parse("VIEWER"))));
        assertThat(audited).containsExactly("ann 192.0.2.1 true password");
    }

    @Test
    void wrongPasswordAndUnknownUserHaveTheSameAnswerAndCost() {
        Logins logins = logins();
        List<Problem> problems = new ArrayList<>();

        int wrong = spent(() -> problems.add(refused(logins, Sent.login("ann", "wrong password"))));
        int dear = spent(() -> problems.add(refused(logins, Sent.login("bob", "wrong password"))));
        int unknown = spent(() -> problems.add(refused(logins, Sent.login("eve", "wrong password"))));
        int right = spent(() -> login(logins, Sent.login("ann", PASSWORD)));

        assertThat(List.of(wrong, dear, unknown, right)).containsOnly(700_000);
        assertThat(problems)
                .extracting(problem -> problem.response().text())
                .containsOnly(problems.get(0).response().text());
        assertThat(problems).extracting(problem -> problem.response().status()).containsOnly(401);
        assertThat(audited)
                .startsWith("ann 192.0.2.1 false wrong user or password")
                .contains("eve 192.0.2.1 false wrong user or password");
    }

    @Test
    void sixthLoginIsRefusedEvenWithTheRightPasswordAndCostsNothing() {
        Logins logins = logins();
        for (int i = 0; i < 5; i++) {
            refused(logins, Sent.login("ann", "wrong password"));
        }

        int spent = spent(
                () -> assertThat(refused(logins, Sent.login("ann", PASSWORD)).code())
                        .isEqualTo(Problem.Code.TOO_MANY_REQUESTS));

        assertThat(spent).isZero();
        assertThat(audited)
                .hasSize(5)
                .last()
                .isEqualTo("ann 192.0.2.1 false wrong user or password; the limit of failed logins is reached");
        login(logins, Sent.login("ann", PASSWORD).from("198.51.100.7"));
        assertThat(refused(logins, Sent.login("ann", PASSWORD)).code()).isEqualTo(Problem.Code.TOO_MANY_REQUESTS);
    }

    @Test
    void successResetsTheFailuresOfTheUser() {
        Logins logins = logins();
        for (int i = 0; i < 3; i++) {
            for (int failures = 0; failures < 4; failures++) {
                refused(logins, Sent.login("ann", "wrong password"));
            }
            login(logins, Sent.login("ann", PASSWORD));
        }

        assertThat(audited).hasSize(15);
    }

    @Test
    void bodyHasExactlyUserAndPassword() {
        Logins logins = logins();
        for (String body : List.of(
                "{}",
                "{\"user\":\"ann\"}",
                "{\"user\":\"ann\",\"password\":7}",
                "{\"user\":[\"ann\"],\"password\":\"correct horse battery\"}",
                "{\"user\":\"\",\"password\":\"x\"}",
                "{\"user\":\"ann\",\"password\":\"\"}",
                "{\"user\":\"" + "x".repeat(129) + "\",\"password\":\"x\"}",
                "{\"user\":\"ann\",\"password\":\"" + "s3cret".repeat(200) + "\"}",
                "{\"user\":\"ann\",\"password\":\"s3cret\",\"role\":\"ADMIN\"}",
                "{\"user\":\"ann\",\"user\":\"bob\",\"password\":\"s3cret\"}",
                "[\"ann\",\"s3cret\"]",
                "user=ann&password=s3cret")) {
            Problem problem = refused(logins, Sent.post("/api/v1/session", body));

            assertThat(problem.code()).as(body).isIn(Problem.Code.INVALID, Problem.Code.BAD_REQUEST);
            assertThat(problem.response().text()).as(body).doesNotContain("s3cret");
        }
        assertThat(audited).isEmpty();
    }

    @Test
    void auditReceivesNoControlCharacters() {
        refused(
                logins(),
                Sent.post(
                        "/api/v1/session",
                        "{\"user\":\"ann\\n2026 INFO login of 'bob' succeeded\\u0085\\u202e\",\"password\":\"x\"}"));

        assertThat(audited)
                .containsExactly("ann?2026 INFO login of 'bob' succeeded?? 192.0.2.1 false wrong user or password");
    }

    @Test
    void logHasOneLineForEachLogin() {
        LoginAudit log = new LoginLog(audited::add);
        log.login("ann\n2026 INFO", "192.0.2.1\r", false, "wrong user or password");
        log.login("ann", "192.0.2.1", true, "password");

        assertThat(audited)
                .containsExactly(
                        "login of 'ann?2026 INFO' from 192.0.2.1? failed: wrong user or password",
                        "login of 'ann' from 192.0.2.1 succeeded: password");
    }

    @Test
    void failingAuditDoesNotLockOutUsers() {
        Logins logins = logins((name, client, success, reason) -> {
            throw new IllegalStateException("the database is away");
        });

        assertThatCode(() -> login(logins, Sent.login("ann", PASSWORD))).doesNotThrowAnyException();
    }

    @Test
    void oneTimePasswordWorksForOneLoginAsAdministrator() {
        String text = OneTimePassword.text();
        OneTimePassword oneTime = new OneTimePassword(passwords.create(text.toCharArray(), Passwords.ITERATIONS));
        Logins logins = new Logins(Map.of(), oneTime, passwords, new LoginLimit(clock), audit);

        refused(logins, Sent.login("admin", "wrong password"));
        refused(logins, Sent.login("ann", text));
        assertThat(login(logins, Sent.login("admin", text)))
                .isEqualTo(new Logins.LoggedIn("admin", List.of(Grant.parse("ADMIN"))));
        int spent = spent(() ->
                assertThat(refused(logins, Sent.login("admin", text)).code()).isEqualTo(Problem.Code.UNAUTHENTICATED));

        assertThat(spent).isEqualTo(Passwords.ITERATIONS);
        assertThat(oneTime.hash()).isNull();
        assertThat(text).matches("([a-z1-9]{5}-){4}[a-z1-9]{5}").isNotEqualTo(OneTimePassword.text());
        assertThat(audited.get(2)).isEqualTo("admin 192.0.2.1 true one-time password");
    }

    @Test
    void oneOfTwoParallelLoginsUsesUpTheOneTimePassword() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        String text = "7pb3k-7pb3k-7pb3k-7pb3k-7pb3k";
        Passwords meeting = new Passwords((password, salt, iterations) -> {
            try {
                both.await(10, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return new byte[PasswordHash.HASH_BYTES];
        });
        Logins logins = new Logins(
                Map.of(),
                new OneTimePassword(new PasswordHash(Passwords.ITERATIONS, new byte[16], new byte[32])),
                meeting,
                new LoginLimit(clock),
                (name, client, success, reason) -> {});
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicInteger successes = new AtomicInteger();
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                done.add(threads.submit(() -> {
                    try {
                        login(logins, Sent.login("admin", text));
                        successes.incrementAndGet();
                    } catch (Problem e) {
                        assertThat(e.code()).isEqualTo(Problem.Code.UNAUTHENTICATED);
                    }
                }));
            }
            for (Future<?> each : done) {
                each.get(20, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(successes).hasValue(1);
    }

    @Test
    void loginWithoutAnyUserCostsNothing() {
        Logins logins = new Logins(Map.of(), null, passwords, new LoginLimit(clock), audit);

        assertThat(spent(() -> refused(logins, Sent.login("admin", PASSWORD)))).isZero();
    }
}
