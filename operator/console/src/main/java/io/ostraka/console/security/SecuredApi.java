package io.ostraka.console.security;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.LargeBodies;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.Service;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The API for callers from the network. It checks each request before a {@link Service} answers it, and refuses a
 * request unless a rule accepts it. Thread-safe.
 *
 * <p>The checks, in this order: the header {@code Host}, the size of the body, the credential, the origin of a write by
 * a browser, and the type of the body. {@code POST} to {@value #SESSION} logs in, {@code GET} shows the caller and the
 * console, and {@code DELETE} logs out. {@code GET} of {@value #SESSIONS} lists the sessions of the caller, or of all
 * users for an administrator of all namespaces, and {@code DELETE} of a session below this path ends it.
 */
public final class SecuredApi {
    /** Path of the session. */
    public static final String SESSION = Api.SESSION;

    /** Path of the list of sessions. */
    public static final String SESSIONS = "/api/v1/sessions";

    private static final Set<String> READS = Set.of("GET", "HEAD");

    private final Service service;
    private final SecuritySettings settings;
    private final Sessions sessions;
    private final Credentials credentials;
    private final Logins logins;
    private final BiFunction<String, String, Map<String, String>> labels;

    /**
     * Creates the secured API.
     *
     * @param labels returns the labels of a job by the names of its namespace and of the job, such as {@link JobLabels}
     * @param printer receives the one-time password of the user {@code admin} to print it once; called only if the
     *     settings name no user, no token and no proxy
     */
    public SecuredApi(
            Service service,
            SecuritySettings settings,
            BiFunction<String, String, Map<String, String>> labels,
            InstantSource clock,
            LoginAudit audit,
            Consumer<String> printer) {
        this.service = service;
        this.settings = settings;
        this.labels = labels;
        this.sessions = new Sessions(settings.sessionIdle(), settings.sessionLength(), clock);
        this.credentials = new Credentials(settings, sessions, labels, clock);
        Passwords passwords = new Passwords();
        this.logins = new Logins(
                settings.users(),
                settings.hasCallers() ? null : oneTimePassword(passwords, printer),
                passwords,
                new LoginLimit(clock),
                audit);
    }

    private static OneTimePassword oneTimePassword(Passwords passwords, Consumer<String> printer) {
        String text = OneTimePassword.text();
        PasswordHash hash = passwords.create(text.toCharArray(), Passwords.ITERATIONS);
        printer.accept(text);
        return new OneTimePassword(hash);
    }

    /** Answers a request. Every failure becomes a response; no exception is thrown. */
    public Response handle(Request request) {
        if (request.isHead()) {
            return handle(request.asGet()).withoutBody();
        }
        try {
            return answer(request);
        } catch (RuntimeException e) {
            return Problem.response(e, request.method(), request.path(), request.client());
        }
    }

    /**
     * Makes all checks of a request, and returns its caller. An adapter calls this method for a request that the
     * adapter answers itself, such as a stream of events.
     *
     * @throws Problem if the request is refused
     */
    public Caller authenticate(Request request) {
        return check(request, true);
    }

    /**
     * Returns whether a request that {@link #authenticate} has accepted would still be accepted. An open stream calls
     * this method from time to time, and ends after the logout and after the end of the session or the token. The call
     * does not count as use, so a page that is only open does not keep its session.
     */
    public boolean isStillAccepted(Request request) {
        try {
            check(request, false);
            return true;
        } catch (Problem e) {
            return false;
        }
    }

    /**
     * Checks a request with a large body before the body is read. An adapter calls this method before it reads more than
     * {@link LargeBodies#SMALL} bytes.
     *
     * @param head the request without its body
     * @return name of the caller
     * @throws Problem if the request is refused
     */
    public String admitLargeBody(Request head) {
        if (isLogin(head)) {
            throw LargeBodies.tooLarge(LargeBodies.SMALL);
        }
        return check(head, false).name();
    }

    private static boolean isLogin(Request request) {
        return request.path().equals(SESSION) && request.method().equals("POST");
    }

    private GrantedCaller check(Request request, boolean use) {
        checkTransport(request);
        GrantedCaller caller = credentials.authenticate(request, use);
        if (!caller.origin().equals(GrantedCaller.TOKEN)) {
            checkOrigin(request);
        }
        checkContentType(request);
        return caller;
    }

    private Response answer(Request request) {
        if (isLogin(request)) {
            return login(request);
        }
        GrantedCaller caller = check(request, true);
        if (request.path().equals(SESSIONS) || request.path().startsWith(SESSIONS + "/")) {
            return sessions(request, caller);
        }
        return request.path().equals(SESSION) ? session(request, caller) : service.handle(request, caller);
    }

    /**
     * Checks the host and the size of a request. An adapter calls this method for a request that it answers itself and
     * that needs no caller.
     *
     * @throws Problem if the request is refused
     */
    public void checkTransport(Request request) {
        settings.hosts().of(request);
        if (LargeBodies.isLarge(request.body().length) && isLogin(request)) {
            throw LargeBodies.tooLarge(LargeBodies.SMALL);
        }
    }

    private void checkOrigin(Request request) {
        if (!READS.contains(request.method())) {
            settings.sameOrigin().check(request);
        }
    }

    /** Checks that a write has a JSON body. A form of another site cannot send this type. */
    static void checkContentType(Request request) {
        boolean isLogout = request.method().equals("DELETE") && request.body().length == 0;
        if (READS.contains(request.method()) || isLogout) {
            return;
        }
        String type = request.header("content-type")
                .orElse("")
                .toLowerCase(Locale.ROOT)
                .replace(" ", "");
        if (!type.equals("application/json") && !type.equals("application/json;charset=utf-8")) {
            throw new Problem(
                    Problem.Code.UNSUPPORTED_MEDIA_TYPE,
                    "the Content-Type is not accepted; accepted: application/json");
        }
    }

    private Response login(Request request) {
        checkTransport(request);
        credentials.requireNone(request);
        checkOrigin(request);
        checkContentType(request);
        String client = credentials.client(request);
        Logins.LoggedIn user = logins.login(request, client);
        Cookie.values(request).forEach(sessions::end);
        GrantedCaller caller = new GrantedCaller(user.name(), GrantedCaller.SESSION, new Grants(user.grants(), labels));
        return service.shown(caller).with("Set-Cookie", Cookie.of(sessions.start(caller, client), request));
    }

    private Response session(Request request, GrantedCaller caller) {
        return switch (request.method()) {
            case "GET" -> service.shown(caller);
            case "DELETE" -> logout(request, caller);
            default -> throw notAllowed("DELETE, GET, POST");
        };
    }

    private static Problem notAllowed(String accepted) {
        return new Problem(Problem.Code.METHOD_NOT_ALLOWED, "the method is not accepted here; accepted: " + accepted)
                .header("Allow", accepted);
    }

    /** Lists the sessions, or ends one. A page of another site cannot cause the end, because {@link #check} came first. */
    private Response sessions(Request request, GrantedCaller caller) {
        boolean list = request.path().equals(SESSIONS);
        if (!request.method().equals(list ? "GET" : "DELETE")) {
            throw notAllowed(list ? "GET" : "DELETE");
        }
        List<Sessions.Session> mine =
                sessions.all().stream().filter(each -> mayEnd(caller, each)).toList();
        if (list) {
            Set<String> current =
                    Cookie.values(request).stream().map(Sessions::shown).collect(Collectors.toSet());
            JsonArray shown = new JsonArray();
            mine.forEach(each -> shown.add(json(each, current.contains(each.id()))));
            JsonObject json = new JsonObject();
            json.add("sessions", shown);
            return Response.json(200, json);
        }
        Sessions.Session session = mine.stream()
                .filter(each -> request.path().equals(SESSIONS + "/" + each.id()))
                .findFirst()
                .orElseThrow(() -> new Problem(
                        Problem.Code.NOT_FOUND,
                        "there is no such session, or it belongs to another user and you are no administrator of all"
                                + " namespaces"));
        sessions.end(session);
        logins.ended(session.caller().name(), credentials.client(request), "by " + caller);
        return Response.empty(204);
    }

    /** Returns whether the caller may see and end a session. A token has no sessions, even with the name of a user. */
    private static boolean mayEnd(GrantedCaller caller, Sessions.Session session) {
        boolean own = !caller.origin().equals(GrantedCaller.TOKEN)
                && caller.name().equals(session.caller().name());
        return own || caller.grants().isAdministrator();
    }

    private static JsonObject json(Sessions.Session session, boolean current) {
        JsonObject json = new JsonObject();
        json.addProperty("id", session.id());
        json.addProperty("user", session.caller().name());
        json.addProperty("client", Names.printable(session.client()));
        json.addProperty("start", session.start().toString());
        json.addProperty("used", session.used().toString());
        json.addProperty("current", current);
        return json;
    }

    private Response logout(Request request, GrantedCaller caller) {
        if (!caller.origin().equals(GrantedCaller.SESSION)) {
            throw new Problem(
                    Problem.Code.REFUSED,
                    "'" + caller.name() + "' has no session here; log out at the proxy, or revoke the token");
        }
        Cookie.values(request).forEach(sessions::end);
        logins.ended(caller.name(), credentials.client(request), "logout");
        return Response.empty(204).with("Set-Cookie", Cookie.gone(request));
    }
}
