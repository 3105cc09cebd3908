package io.ostraka.api;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A job whose work for one item is one HTTP request: {@code HttpJob.request("POST", uri).build()}. Immutable and thread-safe.
 * The registry's builder must allow the host that it goes to.
 *
 * <p>The {@link ShardingContext} goes along in headers, {@code Ostraka-Sharding-Item}, {@code Ostraka-Fencing-Token} and so
 * on. The run lasts until the answer is there: a status of 200 to 299 is success, everything else is a failure that carries
 * the first 4 KiB of the body, {@link HttpFailedException}. A redirect isn't followed, and so is a failure. No more than 64
 * KiB of an answer are read.
 *
 * <p><b>Where a request may go.</b> Hosts must be allowed by name, so that a changed URI can't reach a service that only
 * this machine can reach. Before each request the name is resolved and every address of it looked at: one that is not public, such
 * as those of loopback, private and link-local networks, is refused unless the host was allowed to have such. An {@code
 * http} request goes to the very address that was looked at, in the form in which requests go to proxies ({@code GET
 * http://host/path}), which every server of HTTP/1.1 must take. For {@code https} the JDK's client resolves the name once
 * more, mostly from the JVM's cache, and what remains is this: if the name's addresses change in between, the connection may
 * begin to another address, and the handshake fails unless that server has a certificate for the name. The machine's own
 * proxy settings are not used.
 */
public final class HttpJob implements Job {
    /** Prefix of the headers that carry the context. */
    public static final String HEADER_PREFIX = "Ostraka-";

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern TEXT = Pattern.compile("[\\x20-\\x7e\\t]*");
    /** Those that the JDK's client sets itself. */
    private static final Set<String> RESERVED =
            Set.of("connection", "content-length", "expect", "host", "upgrade", "transfer-encoding");

    private final String method;
    private final URI uri;
    private final Map<String, String> headers;
    private final Map<String, Secret> secretHeaders;
    private final byte[] body;
    private final Duration connectTimeout;
    private final Duration requestTimeout;

    private HttpJob(Builder builder) {
        method = builder.method;
        uri = builder.uri;
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        secretHeaders = Collections.unmodifiableMap(new LinkedHashMap<>(builder.secretHeaders));
        body = builder.body;
        connectTimeout = builder.connectTimeout;
        requestTimeout = builder.requestTimeout;
    }

    /**
     * Starts the description of an HTTP job.
     *
     * @param method such as {@code POST}
     * @param uri of scheme {@code http} or {@code https}, with a host, without user and password
     * @throws IllegalArgumentException when one of them is none of these
     */
    public static Builder request(String method, URI uri) {
        return new Builder(method, uri);
    }

    /** Returns the method. */
    public String method() {
        return method;
    }

    /** Returns where the request goes. */
    public URI uri() {
        return uri;
    }

    /** Returns the headers that go along with those of the context; none by default. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns the headers with secret values; none by default. */
    public Map<String, Secret> secretHeaders() {
        return secretHeaders;
    }

    /** Returns a copy of the body; empty by default, and then none is sent. */
    public byte[] body() {
        return body.clone();
    }

    /** Returns how long the look-up of the host's name may take, and then connecting; 10 s each by default. */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** Returns how long everything after the look-up may take, to the end of the answer; 60 s by default. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /** Names method, host and path; a query may hold what is not for logs. */
    @Override
    public String toString() {
        return method + " " + uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }

    /** Collects what an HTTP job needs. Not thread-safe. */
    public static final class Builder {
        private final String method;
        private final URI uri;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final Map<String, Secret> secretHeaders = new LinkedHashMap<>();
        private byte[] body = {};
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration requestTimeout = Duration.ofSeconds(60);

        private Builder(String method, URI uri) {
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            require(
                    TOKEN.matcher(method).matches() && !method.equals("CONNECT"),
                    "method",
                    method,
                    "such as GET or POST");
            require(
                    Set.of("http", "https").contains(scheme) && uri.getHost() != null && uri.getRawUserInfo() == null,
                    "URI",
                    uri.getScheme() + "://" + uri.getHost(),
                    "http://HOST/… or https://HOST/…, without user and password");
            this.method = method;
            this.uri = uri;
        }

        /** Adds a header; one of that name that was there is replaced. */
        public Builder header(String name, String value) {
            requireName(name);
            require(TEXT.matcher(value).matches(), "header " + name, value, "printable ASCII");
            headers.put(name, value);
            return this;
        }

        /** Adds a header whose value is read before each request, and is taken out of the answer that is kept. */
        public Builder header(String name, Secret value) {
            requireName(name);
            secretHeaders.put(name, value);
            return this;
        }

        private static void requireName(String name) {
            String lower = name.toLowerCase(Locale.ROOT);
            require(
                    TOKEN.matcher(name).matches()
                            && !RESERVED.contains(lower)
                            && !lower.startsWith(HEADER_PREFIX.toLowerCase(Locale.ROOT)),
                    "header",
                    name,
                    "a name that is none of " + RESERVED + " and does not begin with " + HEADER_PREFIX);
        }

        /** Sends a body; give its {@code Content-Type} as a header. */
        public Builder body(byte[] bytes) {
            body = bytes.clone();
            return this;
        }

        /** The same with a text, as UTF-8. */
        public Builder body(String text) {
            return body(text.getBytes(StandardCharsets.UTF_8));
        }

        /** See {@link HttpJob#connectTimeout()}. */
        public Builder connectTimeout(Duration timeout) {
            connectTimeout = requirePositive("connectTimeout", timeout);
            return this;
        }

        /** See {@link HttpJob#requestTimeout()}. */
        public Builder requestTimeout(Duration timeout) {
            requestTimeout = requirePositive("requestTimeout", timeout);
            return this;
        }

        private static Duration requirePositive(String field, Duration timeout) {
            require(
                    timeout.compareTo(Duration.ZERO) > 0 && timeout.compareTo(Schedule.LONGEST) <= 0,
                    field,
                    timeout,
                    "a positive duration of at most 36500 days");
            return timeout;
        }

        private static void require(boolean holds, String field, Object value, String accepted) {
            if (!holds) {
                throw new IllegalArgumentException(
                        "An HTTP job's " + field + " is '" + value + "'; accepted: " + accepted);
            }
        }

        /** Makes the job. */
        public HttpJob build() {
            return new HttpJob(this);
        }
    }
}
