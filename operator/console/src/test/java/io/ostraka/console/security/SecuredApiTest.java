package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.ostraka.console.Api;
import io.ostraka.console.LargeBodies;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the checks of requests, their order, and the session. */
class SecuredApiTest {
    private static final String LIST = "/api/v1/namespaces";
    private static final String PASSWORD = "correct horse battery";
    private static final String HASH =
            new Passwords().create(PASSWORD.toCharArray(), 100_000).text();
    private static final String TOKEN = Tokens.create();
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final ManualClock clock = new ManualClock();
    private final List<String> printed = new ArrayList<>();
    private final List<String> audited = new ArrayList<>();
    private final SecuredApi api = api(settings());

    private SecuritySettings.Builder settings() {
        return SecuritySettings.newBuilder()
                .user("ann", HASH, List.of(Grant.parse("OPERATOR orders"), Grant.parse("VIEWER billing")))
                .token(
                        "ci",
                        Tokens.digest(TOKEN),
                        clock.instant().plus(Duration.ofDays(1)),
                        List.of(Grant.parse("VIEWER orders")))
                .proxy(new TrustedProxy(
                        "X-User",
                        "X-Groups",
                        SECRET,
                        Map.of("carl", List.of(Grant.parse("VIEWER orders"))),
                        Map.of("ops", List.of(Grant.parse("ADMIN billing")))));
    }

    private SecuredApi api(SecuritySettings.Builder settings) {
        return new SecuredApi(
                new Api(new NoOperations(), false),
                settings.build(),
                (namespace, job) -> Map.of(),
                clock,
                new LoginLog(audited::add),
                printed::add);
    }

    private Response send(Sent sent) {
        return api.handle(sent.request());
    }

    private int status(Sent sent) {
        return send(sent).status();
    }

    private String login() {
        return session(send(Sent.login("ann", PASSWORD)));
    }

    private static String session(Response response) {
        assertThat(response.status()).isEqualTo(200);
        String cookie = response.headers().get("Set-Cookie");
        assertThat(cookie).matches("__Host-ostraka-80[89]0=[A-Za-z0-9_-]{43}; Path=/; Secure; HttpOnly; SameSite=Lax");
        return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
    }

    private static Sent proxied(Sent sent) {
        return sent.with("x-user", "carl").with("x-ostraka-proxy-secret", SECRET);
    }

    // Sessions

    private List<String> sessions(SecuredApi of, Sent sent) {
        Response response = of.handle(sent.request());
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        return JsonParser.parseString(response.text()).getAsJsonObject().getAsJsonArray("sessions").asList().stream()
                .map(each -> each.getAsJsonObject().get("id").getAsString())
                .toList();
    }

    private SecuredApi withAdministrators() {
        return api(settings()
                .user("bob", HASH, List.of(Grant.parse("ADMIN orders")))
                .user("root", HASH, List.of(Grant.parse("ADMIN"))));
    }

    private static String login(SecuredApi of, String user) {
        return session(of.handle(Sent.login(user, PASSWORD).from("192.0.2.7").request()));
    }

    @Test
    void userEndsOnlyTheOwnSessionsAndAnAdministratorAll() {
        SecuredApi of = withAdministrators();
        String ann = login(of, "ann");
        String stolen = login(of, "ann");
        String bob = login(of, "bob");
        String root = login(of, "root");

        assertThat(sessions(of, Sent.get(SecuredApi.SESSIONS).session(ann))).hasSize(2);
        assertThat(sessions(of, Sent.get(SecuredApi.SESSIONS).session(root))).hasSize(4);
        assertThat(sessions(of, Sent.get(SecuredApi.SESSIONS).bearer(TOKEN))).isEmpty();
        List<String> ofBob = sessions(of, Sent.get(SecuredApi.SESSIONS).session(bob));
        assertThat(ofBob).hasSize(1);
        String end = SecuredApi.SESSIONS + "/" + ofBob.get(0);
        assertThat(of.handle(Sent.delete(end).session(ann).fromOwnPage().request())
                        .status())
                .isEqualTo(404);
        assertThat(of.handle(Sent.delete(end).session(root).request()).status())
                .as("from a page of another site")
                .isEqualTo(403);

        String ofThief = SecuredApi.SESSIONS + "/" + Sessions.shown(stolen);
        Request stream = Sent.get(LIST).session(stolen).request();
        assertThat(of.isStillAccepted(stream)).isTrue();
        assertThat(of.handle(Sent.delete(ofThief).session(ann).fromOwnPage().request())
                        .status())
                .isEqualTo(204);
        assertThat(of.isStillAccepted(stream)).isFalse();
        assertThat(of.handle(stream).status()).isEqualTo(401);
        assertThat(of.handle(Sent.get(LIST).session(ann).request()).status()).isEqualTo(200);
        assertThat(of.handle(Sent.delete(end).session(root).fromOwnPage().request())
                        .status())
                .isEqualTo(204);
        assertThat(of.handle(Sent.get(LIST).session(bob).request()).status()).isEqualTo(401);
        assertThat(audited)
                .endsWith(
                        "session of 'ann' was ended from 192.0.2.1: by session 'ann'",
                        "session of 'bob' was ended from 192.0.2.1: by session 'root'");
    }

    @Test
    void listOfSessionsContainsNoCredential() {
        SecuredApi of = withAdministrators();
        String ann = login(of, "ann");
        String text =
                of.handle(Sent.get(SecuredApi.SESSIONS).session(ann).request()).text();
        String id = sessions(of, Sent.get(SecuredApi.SESSIONS).session(ann)).get(0);

        assertThat(text)
                .contains("\"user\":\"ann\"", "192.0.2.7", "\"current\":true")
                .doesNotContain(ann);
        assertThat(of.handle(Sent.get(LIST).session(id).request()).status()).isEqualTo(401);
        assertThat(of.handle(Sent.post(SecuredApi.SESSIONS, "{}")
                                .session(ann)
                                .fromOwnPage()
                                .request())
                        .status())
                .isEqualTo(405);
    }

    @Test
    void auditHasTheLogout() {
        String id = login();
        send(Sent.delete(SecuredApi.SESSION).session(id).fromOwnPage());

        assertThat(audited)
                .containsExactly(
                        "login of 'ann' from 192.0.2.1 succeeded: password",
                        "session of 'ann' was ended from 192.0.2.1: logout");
    }

    // Host

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]", "[::1]:8080"})
    void acceptsTheLoopbackWithAnyPort(String host) {
        assertThat(status(Sent.get(LIST).bearer(TOKEN).with("host", host))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " localhost",
                "evil.example",
                "localhost.evil.example",
                "localhost.",
                "localhost@evil.example",
                "evil.example:localhost",
                "localhost:",
                "localhost:x",
                "localhost:65536",
                "localhost:٨٠",
                "localhost:80:80",
                "localhost,evil.example",
                "localhost/",
                "::1",
                "[::1",
                "[::1]x",
                "[]",
                "[::2]",
                "127.0.0.2",
                "2130706433"
            })
    void refusesOtherHosts(String host) {
        Response response = send(Sent.get(LIST).bearer(TOKEN).with("host", host));

        assertThat(response.status()).isEqualTo(421);
        assertThat(response.text()).doesNotContain("evil");
    }

    @Test
    void refusesAMissingAndARepeatedHost() {
        assertThat(status(Sent.get(LIST).bearer(TOKEN).with("host"))).isEqualTo(421);
        assertThat(status(Sent.get(LIST).bearer(TOKEN).with("host", "localhost", "localhost")))
                .isEqualTo(421);
        Map<String, List<String>> twoCases = Map.of(
                "Host", List.of("localhost"),
                "host", List.of("localhost"),
                "authorization", List.of("Bearer " + TOKEN));
        assertThat(api.handle(new Request("GET", LIST, "", twoCases, new byte[0], "192.0.2.1", false))
                        .status())
                .isEqualTo(421);
    }

    @Test
    void acceptsOnlyTheHostsOfTheSettings() {
        SecuredApi other = api(settings().hosts(List.of("Console.example.com")));

        assertThat(other.handle(Sent.get(LIST)
                                .bearer(TOKEN)
                                .with("host", "console.example.com:8443")
                                .request())
                        .status())
                .isEqualTo(200);
        assertThat(other.handle(Sent.get(LIST).bearer(TOKEN).request()).status())
                .isEqualTo(421);
    }

    // Order

    @Test
    void checksHostThenSizeThenCredentialThenOriginThenType() {
        byte[] tooLarge = new byte[Request.LARGEST_BODY + 1];
        String id = login();
        Sent wrong = Sent.of("POST", LIST + "/orders/freeze")
                .with("host", "evil.example")
                .body(tooLarge)
                .session("unknown")
                .with("sec-fetch-site", "cross-site");

        assertThat(status(wrong)).isEqualTo(421);
        assertThat(status(wrong.with("host", "localhost"))).isEqualTo(413);
        assertThat(status(wrong.body(new byte[0]))).isEqualTo(401);
        assertThat(status(wrong.session(id))).isEqualTo(403);
        assertThat(status(wrong.fromOwnPage())).isEqualTo(415);
        Response answered = send(wrong.with("content-type", "application/json"));
        assertThat(answered.status()).isEqualTo(403);
        assertThat(answered.text()).contains("ADMIN");
    }

    @Test
    void loginHasTheSameOrderOfChecks() {
        Sent wrong = Sent.of("POST", SecuredApi.SESSION)
                .with("host", "evil.example")
                .body(new byte[Request.LARGEST_BODY + 1])
                .bearer(TOKEN)
                .with("sec-fetch-site", "cross-site");

        assertThat(status(wrong)).isEqualTo(421);
        assertThat(status(wrong.with("host", "localhost"))).isEqualTo(413);
        assertThat(status(wrong.body(new byte[0]))).isEqualTo(401);
        assertThat(status(wrong.with("authorization"))).isEqualTo(403);
        assertThat(status(wrong.fromOwnPage())).isEqualTo(415);
        assertThat(status(wrong.with("content-type", "application/json"))).isEqualTo(422);
    }

    @Test
    void loginIsSmall() {
        assertThat(status(Sent.of("POST", SecuredApi.SESSION).fromOwnPage().body(new byte[LargeBodies.SMALL + 1])))
                .isEqualTo(413);
    }

    @Test
    void onlyAnAuthenticatedCallerMaySendALargeBody() {
        Sent command = Sent.post(LIST + "/orders/freeze", "");
        assertThatThrownBy(() -> api.admitLargeBody(
                        Sent.of("POST", SecuredApi.SESSION).fromOwnPage().request()))
                .hasMessageContaining("4096 bytes");
        assertThatThrownBy(() -> api.admitLargeBody(command.request())).hasMessageContaining("no caller");
        api.admitLargeBody(command.bearer(TOKEN).request());
    }

    @Test
    void largestBodyIsAccepted() {
        Sent sent = Sent.post(LIST + "/orders/freeze", "").bearer(TOKEN).body(new byte[Request.LARGEST_BODY]);

        assertThat(status(sent)).isEqualTo(403);
    }

    // Credentials

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/namespaces",
        "GET, /api/v1/namespaces/orders",
        "POST, /api/v1/namespaces/orders/freeze",
        "GET, /api/v1/session",
        "DELETE, /api/v1/session",
        "PUT, /api/v1/session",
        "GET, /api/v1/session/",
        "POST, /api/v1/%73ession",
        "OPTIONS, /api/v1/namespaces",
        "HEAD, /api/v1/namespaces",
        "TRACE, /",
        "GET, /",
        "GET, /no/such/route",
        "GET, /%",
        "GET, //",
        "get, /api/v1/namespaces"
    })
    void requestWithoutCredentialIsRefused(String method, String path) {
        Response response = send(Sent.of(method, path).fromOwnPage().with("content-type", "application/json"));

        assertThat(response.status()).isEqualTo(401);
        assertThat(response.headers()).containsEntry("WWW-Authenticate", "Bearer");
    }

    @Test
    void tokenCallsUntilItExpires() {
        Response list = send(Sent.get(LIST).bearer(TOKEN));
        assertThat(list.status()).isEqualTo(200);
        assertThat(list.text()).contains("orders").doesNotContain("billing");
        assertThat(status(Sent.get(LIST).with("authorization", "bEARER  " + TOKEN)))
                .isEqualTo(200);

        clock.advance(Duration.ofDays(1));
        Response expired = send(Sent.get(LIST).bearer(TOKEN));
        Response unknown = send(Sent.get(LIST).bearer(Tokens.create()));
        assertThat(expired.status()).isEqualTo(401);
        assertThat(expired.text()).isEqualTo(unknown.text());
        assertThat(expired.headers()).isEqualTo(unknown.headers());
    }

    @Test
    void otherFormsOfAuthorizationAreRefused() {
        for (String header : List.of(
                "",
                "Bearer",
                "Bearer ",
                TOKEN,
                "Basic YWRtaW46YWRtaW4=",
                "Bearer " + TOKEN + ", Bearer " + TOKEN,
                "Bearer " + Tokens.digest(TOKEN),
                "Bearer null")) {
            assertThat(status(Sent.get(LIST).with("authorization", header)))
                    .as(header)
                    .isEqualTo(401);
        }
        assertThat(status(Sent.get(LIST).with("authorization", "Bearer " + TOKEN, "Bearer " + TOKEN)))
                .isEqualTo(401);
        assertThat(status(Sent.get(LIST + "?access_token=" + TOKEN))).isEqualTo(401);
    }

    @Test
    void sessionCallsUntilTheLogout() {
        String id = login();
        assertThat(send(Sent.get(LIST).session(id)).text()).contains("orders", "billing");
        assertThat(status(Sent.get(LIST).with("cookie", "theme=dark;  __Host-ostraka-8080=" + id + " ; a=b")))
                .isEqualTo(200);
        assertThat(status(Sent.get(LIST).with("cookie", "theme=dark", "__Host-ostraka-8080=" + id)))
                .isEqualTo(200);

        Response logout = send(Sent.delete(SecuredApi.SESSION).session(id).fromOwnPage());
        assertThat(logout.status()).isEqualTo(204);
        assertThat(logout.headers().get("Set-Cookie"))
                .startsWith("__Host-ostraka-8080=;")
                .endsWith("Max-Age=0");

        Response after = send(Sent.get(LIST).session(id));
        assertThat(after.status()).isEqualTo(401);
        assertThat(after.headers().get("Set-Cookie"))
                .startsWith("__Host-ostraka-8080=;")
                .endsWith("Max-Age=0");
    }

    @Test
    void otherCookiesAreNoSession() {
        String id = login();

        assertThat(status(Sent.get(LIST).session(""))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).session(id + "x"))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).session("\"" + id + "\""))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).with("cookie", "ostraka=" + id))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).with("cookie", "__host-ostraka=" + id)))
                .isEqualTo(401);
        assertThat(status(Sent.get(LIST).session(id).and("cookie", "__Host-ostraka-8080=" + id)))
                .isEqualTo(401);
        assertThat(status(Sent.get(LIST).session(id).and("cookie", "__Host-ostraka-8080=x")))
                .isEqualTo(401);
    }

    @Test
    void sessionEndsAfterTheTimesOfTheSettings() {
        SecuredApi brief = api(settings().sessionIdle(Duration.ofMinutes(2)).sessionLength(Duration.ofMinutes(3)));
        String id = session(brief.handle(Sent.login("ann", PASSWORD).request()));

        clock.advance(Duration.ofSeconds(119));
        assertThat(brief.handle(Sent.get(LIST).session(id).request()).status()).isEqualTo(200);
        clock.advance(Duration.ofSeconds(61));
        assertThat(brief.handle(Sent.get(LIST).session(id).request()).status()).isEqualTo(401);
    }

    @Test
    void loginReplacesTheSession() {
        String first = login();
        String second = session(send(Sent.login("ann", PASSWORD).session(first)));

        assertThat(second).isNotEqualTo(first);
        assertThat(status(Sent.get(LIST).session(first))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).session(second))).isEqualTo(200);
    }

    @Test
    void loginNeverAdoptsTheIdOfTheRequest() {
        String planted = Secrets.create();

        assertThat(session(send(Sent.login("ann", PASSWORD).session(planted)))).isNotEqualTo(planted);
        assertThat(status(Sent.get(LIST).session(planted))).isEqualTo(401);
    }

    @Test
    void failedLoginKeepsTheSession() {
        String id = login();

        Response failed = send(Sent.login("ann", "wrong password").session(id));

        assertThat(failed.status()).isEqualTo(401);
        assertThat(failed.headers()).doesNotContainKey("Set-Cookie");
        assertThat(status(Sent.get(LIST).session(id))).isEqualTo(200);
    }

    @Test
    void proxyNamesTheUserOnlyWithTheSecret() {
        assertThat(status(proxied(Sent.get(LIST)))).isEqualTo(200);
        assertThat(status(Sent.get(LIST).with("x-user", "carl"))).isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-ostraka-proxy-secret", SECRET + "x")))
                .isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-ostraka-proxy-secret", SECRET, SECRET)))
                .isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-user", "carl", "carl")))
                .isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-user", ""))).isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-user", "carl\u0000"))).isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-user"))).isEqualTo(401);
    }

    @Test
    void forgedProxyHeaderIsRefusedBesideAValidCredential() {
        String id = login();

        assertThat(status(Sent.get(LIST).bearer(TOKEN).with("x-user", "ci"))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).session(id).with("x-user", "ann"))).isEqualTo(401);
        assertThat(status(Sent.login("ann", PASSWORD).with("x-user", "ann"))).isEqualTo(401);
    }

    @Test
    void proxyHeadersMeanNothingWithoutAProxyInTheSettings() {
        SecuredApi noProxy = api(SecuritySettings.newBuilder().user("ann", HASH, List.of(Grant.parse("ADMIN"))));

        assertThat(noProxy.handle(proxied(Sent.get(LIST)).request()).status()).isEqualTo(401);
    }

    @Test
    void groupsOfTheProxyGiveGrants() {
        assertThat(send(proxied(Sent.get(LIST)).with("x-groups", "dev, ops")).text())
                .contains("orders", "billing");
        assertThat(send(proxied(Sent.get(LIST)).with("x-groups", "dev,opsx")).text())
                .doesNotContain("billing");
        assertThat(status(proxied(Sent.get(LIST)).with("x-groups", "dev", "ops")))
                .isEqualTo(401);
    }

    @Test
    void userOfTheProxyWithoutGrantIsForbidden() {
        assertThat(status(proxied(Sent.get(LIST)).with("x-user", "dora"))).isEqualTo(403);
        assertThat(status(proxied(Sent.get(SecuredApi.SESSION)).with("x-user", "dora")))
                .isEqualTo(403);
        assertThat(status(proxied(Sent.get(LIST)).with("x-user", "dora").with("x-groups", "ops")))
                .isEqualTo(200);
    }

    @Test
    void severalCredentialsMustBeValidAndNameTheSameCaller() {
        String id = login();

        assertThat(status(Sent.get(LIST).bearer(TOKEN).session(id))).isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).session(id))).isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).bearer(TOKEN))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).bearer("wrong").session(id))).isEqualTo(401);
        assertThat(status(Sent.get(LIST).bearer(TOKEN).session("wrong"))).isEqualTo(401);
        assertThat(status(proxied(Sent.get(LIST)).with("x-user", "ann").session(id)))
                .isEqualTo(200);
    }

    @Test
    void grantsAreThoseOfTheFirstCredentialInOrder() {
        Response session =
                send(proxied(Sent.get(SecuredApi.SESSION)).with("x-user", "ci").bearer(TOKEN));

        assertThat(session.text()).startsWith("{\"name\":\"ci\",\"origin\":\"token\",\"grants\":[\"VIEWER orders\"],");
    }

    // Other sites

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "none", "", "SAME-ORIGIN", "same-origin, cross-site"})
    void writeOfABrowserFromElsewhereIsRefused(String site) {
        String id = login();

        assertThat(status(freeze().session(id).with("sec-fetch-site", site).with("origin", "http://localhost:8080")))
                .isEqualTo(403);
        assertThat(send(freeze().session(id).with("sec-fetch-site", site)).text())
                .contains("page of this console");
        assertThat(send(proxied(freeze()).with("sec-fetch-site", site)).text()).contains("page of this console");
        assertThat(status(Sent.login("ann", PASSWORD).with("sec-fetch-site", site)))
                .isEqualTo(403);
        assertThat(status(Sent.delete(SecuredApi.SESSION).session(id).with("sec-fetch-site", site)))
                .isEqualTo(403);
        assertThat(status(Sent.get(LIST).session(id).with("sec-fetch-site", site)))
                .isEqualTo(200);
        assertThat(send(freeze().bearer(TOKEN).with("sec-fetch-site", site)).text())
                .contains("needs the role");
    }

    private static Sent freeze() {
        return Sent.post(LIST + "/orders/freeze", "{}");
    }

    @Test
    void repeatedFetchMetadataIsRefused() {
        assertThat(status(Sent.login("ann", PASSWORD).with("sec-fetch-site", "same-origin", "same-origin")))
                .isEqualTo(403);
        assertThat(status(Sent.login("ann", PASSWORD)
                        .with("sec-fetch-site", "same-origin", "same-origin")
                        .with("origin", "http://localhost:8080")))
                .isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8080, false, 200",
        "HTTP://LOCALHOST:8080, false, 200",
        "https://localhost:8080, true, 200",
        "https://localhost:8080, false, 403",
        "http://localhost:8080, true, 403",
        "http://localhost:8081, false, 403",
        "http://localhost, false, 403",
        "http://127.0.0.1:8080, false, 403",
        "http://evil.example, false, 403",
        "http://localhost:8080.evil.example, false, 403",
        "http://localhost:8080/, false, 403",
        "http://evil@localhost:8080, false, 403",
        "null, false, 403",
        "localhost:8080, false, 403",
        "ftp://localhost:8080, false, 403",
        "'', false, 403"
    })
    void withoutFetchMetadataTheOriginMustBeTheOwn(String origin, boolean secure, int status) {
        Sent login = Sent.login("ann", PASSWORD).with("sec-fetch-site").with("origin", origin);

        assertThat(status(secure ? login.secure() : login)).isEqualTo(status);
    }

    @Test
    void withoutFetchMetadataAndOriginAWriteIsRefused() {
        assertThat(status(Sent.login("ann", PASSWORD).with("sec-fetch-site"))).isEqualTo(403);
        assertThat(status(Sent.login("ann", PASSWORD).with("sec-fetch-site").with("referer", "http://localhost:8080/")))
                .isEqualTo(403);
        assertThat(status(Sent.login("ann", PASSWORD)
                        .with("sec-fetch-site")
                        .with("origin", "http://localhost:8080", "http://localhost:8080")))
                .isEqualTo(403);
    }

    @Test
    void defaultPortOfTheOriginIsTheSameOrigin() {
        assertThat(status(Sent.login("ann", PASSWORD)
                        .with("sec-fetch-site")
                        .with("host", "localhost:80")
                        .with("origin", "http://localhost")))
                .isEqualTo(200);
        assertThat(status(Sent.login("ann", PASSWORD)
                        .with("sec-fetch-site")
                        .with("host", "localhost")
                        .with("origin", "https://localhost:443")
                        .secure()))
                .isEqualTo(200);
    }

    @Test
    void publicOriginReplacesTheOriginOfTheConnection() {
        SecuredApi behindProxy =
                api(settings().hosts(List.of("console.example.com")).publicOrigin("https://console.example.com:443"));
        Sent login = Sent.login("ann", PASSWORD).with("sec-fetch-site").with("host", "console.example.com");

        assertThat(behindProxy
                        .handle(login.with("origin", "https://console.example.com")
                                .request())
                        .status())
                .isEqualTo(200);
        assertThat(behindProxy
                        .handle(login.with("origin", "http://console.example.com")
                                .request())
                        .status())
                .isEqualTo(403);
    }

    // Type of the body

    @ParameterizedTest
    @CsvSource({
        "application/json, 200",
        "Application/JSON; charset=UTF-8, 200",
        "text/plain, 415",
        "application/x-www-form-urlencoded, 415",
        "multipart/form-data; boundary=application/json, 415",
        "application/json; charset=utf-16, 415",
        "text/plain; a=application/json, 415",
        "application/jsonp, 415",
        "'', 415"
    })
    void writeIsJson(String type, int status) {
        assertThat(status(Sent.login("ann", PASSWORD).with("content-type", type)))
                .isEqualTo(status);
        assertThat(status(freeze().bearer(TOKEN).with("content-type", type))).isEqualTo(status == 200 ? 403 : 415);
    }

    @Test
    void writeWithoutOrWithSeveralTypesIsRefused() {
        assertThat(status(freeze().bearer(TOKEN).with("content-type"))).isEqualTo(415);
        assertThat(status(freeze().bearer(TOKEN).with("content-type", "application/json", "application/json")))
                .isEqualTo(415);
        assertThat(status(Sent.of("PUT", LIST).bearer(TOKEN))).isEqualTo(415);
        assertThat(status(Sent.delete(SecuredApi.SESSION).bearer(TOKEN).body(new byte[1])))
                .isEqualTo(415);
    }

    // Session

    @Test
    void sessionShowsTheCallerAndTheConsole() {
        Response login = send(Sent.login("ann", PASSWORD));
        Response shown = send(Sent.get(SecuredApi.SESSION).session(session(login)));

        assertThat(shown.status()).isEqualTo(200);
        assertThat(JsonParser.parseString(shown.text()))
                .isEqualTo(JsonParser.parseString(
                        "{'name':'ann','origin':'session','grants':['OPERATOR orders','VIEWER billing'],"
                                + "'console':{'version':'development build','history':false}}"));
        assertThat(login.text()).isEqualTo(shown.text());
    }

    @Test
    void consolesOfSeveralPortsOnOneHostKeepTheirSessions() {
        SecuredApi other = api(settings());
        String here = session(send(Sent.login("ann", PASSWORD)));
        String there = session(other.handle(
                Sent.login("ann", PASSWORD).with("host", "localhost:8090").request()));
        String both = "__Host-ostraka-8080=" + here + "; __Host-ostraka-8090=" + there;

        assertThat(status(Sent.get(LIST).with("cookie", both))).isEqualTo(200);
        assertThat(other.handle(Sent.get(LIST)
                                .with("host", "localhost:8090")
                                .with("cookie", both)
                                .request())
                        .status())
                .isEqualTo(200);
        assertThat(send(Sent.get(LIST).with("host", "localhost").session("gone"))
                        .headers())
                .containsEntry("Set-Cookie", "__Host-ostraka=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
    }

    @Test
    void onlyASessionCanBeEnded() {
        assertThat(status(Sent.delete(SecuredApi.SESSION).bearer(TOKEN))).isEqualTo(409);
        assertThat(status(proxied(Sent.delete(SecuredApi.SESSION)).fromOwnPage()))
                .isEqualTo(409);
    }

    @Test
    void sessionHasNoOtherMethods() {
        Response response =
                send(Sent.of("PUT", SecuredApi.SESSION).bearer(TOKEN).with("content-type", "application/json"));

        assertThat(response.status()).isEqualTo(405);
        assertThat(response.headers()).containsEntry("Allow", "DELETE, GET, POST");
    }

    @Tag("slow")
    @Test
    void loginAfterFiveFailuresWaits() {
        for (int i = 0; i < 5; i++) {
            assertThat(status(Sent.login("ann", "wrong password"))).isEqualTo(401);
        }
        Response response = send(Sent.login("ann", PASSWORD));

        assertThat(response.status()).isEqualTo(429);
        assertThat(response.headers()).containsEntry("Retry-After", "1");
        assertThat(status(Sent.get(LIST).bearer(TOKEN))).isEqualTo(200);
        clock.advance(Duration.ofSeconds(1));
        assertThat(status(Sent.login("ann", PASSWORD))).isEqualTo(200);
    }

    @Tag("slow")
    @Test
    void oneTimePasswordIsPrintedOnceIfThereIsNoOtherCaller() {
        assertThat(printed).isEmpty();
        SecuredApi first = api(SecuritySettings.newBuilder());
        assertThat(printed).hasSize(1);

        String id = session(first.handle(Sent.login("admin", printed.get(0)).request()));
        assertThat(first.handle(Sent.get(SecuredApi.SESSION).session(id).request())
                        .text())
                .contains("\"grants\":[\"ADMIN\"]");
        assertThat(first.handle(Sent.login("admin", printed.get(0)).request()).status())
                .isEqualTo(401);
        assertThat(printed).hasSize(1);
    }

    @Test
    void refusedAccessIsALineOfTheLog() throws Exception {
        try (InfoLog log = new InfoLog(Problem.class.getName())) {
            send(Sent.get(LIST).bearer("ostraka_wrong").from("192.0.2.9"));
            send(Sent.get(LIST).with("host", "evil.example"));
            send(Sent.post(LIST + "/orders/freeze", "{}").session(login()).with("sec-fetch-site", "cross-site"));
            send(Sent.get("/no/such/route").bearer(TOKEN));

            assertThat(log.lines("was refused with"))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .contains("GET " + LIST + " from 192.0.2.9", "401: the token is not valid"),
                            line -> assertThat(line).contains("421"),
                            line -> assertThat(line).contains("403"));
        }
    }

    // Every response

    @Test
    void everyResponseHasTheHeaders() {
        for (Sent sent : List.of(
                Sent.get(LIST).bearer(TOKEN),
                Sent.get(LIST),
                Sent.get(LIST).with("host", "evil.example"),
                Sent.login("ann", PASSWORD),
                freeze().bearer(TOKEN),
                Sent.get("/no/such/route").bearer(TOKEN))) {
            assertThat(send(sent).sentHeaders())
                    .containsEntry("X-Content-Type-Options", "nosniff")
                    .containsEntry("Referrer-Policy", "same-origin")
                    .containsEntry("Cross-Origin-Resource-Policy", "same-origin")
                    .containsEntry("Cross-Origin-Opener-Policy", "same-origin")
                    .containsEntry("Cache-Control", "no-store");
        }
    }

    // Adapters

    @Test
    void adapterAuthenticatesARequestWithAllChecks() {
        String id = login();

        assertThat(api.authenticate(Sent.get("/api/v1/events").session(id).request())
                        .name())
                .isEqualTo("ann");
        for (Sent refused : List.of(
                Sent.get("/api/v1/events"),
                Sent.get("/api/v1/events").session(id).with("host", "evil.example"),
                Sent.post("/api/v1/events", "{}").session(id))) {
            assertThatThrownBy(() -> api.authenticate(refused.request())).isInstanceOf(Problem.class);
        }
    }

    @Test
    void openStreamLearnsThatTheSessionHasEnded() {
        String id = login();
        Request stream = Sent.get("/api/v1/events").session(id).request();

        clock.advance(Duration.ofMinutes(29));
        assertThat(api.isStillAccepted(stream)).isTrue();
        clock.advance(Duration.ofMinutes(1));
        assertThat(api.isStillAccepted(stream)).isFalse();
    }
}
