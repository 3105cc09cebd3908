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
 * A job that sends one HTTP request for each item: {@code HttpJob.request("POST", uri).build()}. Needs the module
 * {@code ostraka-job-types}, and the registry's builder must allow the host of the URI. Immutable and thread-safe.
 *
 * <p>The request carries the {@link ShardingContext} in headers such as {@code Ostraka-Sharding-Item} and {@code
 * Ostraka-Fencing-Token}. The run lasts until the response has arrived. A status of 200 to 299 is a success. Any other
 * status fails the item with an {@link HttpFailedException}, which contains the first 4 KiB of the response body. A
 * redirect fails the item as well, because the engine does not follow redirects. The engine reads at most 64 KiB of a
 * response.
 *
 * <p><b>Permitted destinations.</b> The application must allow each host by name, so that a manipulated URI cannot
 * reach internal services. Before each request the engine resolves the host name and checks every address. If an
 * address is not public (for example a loopback, private or link-local address), the engine refuses the request, unless
 * the builder allows such addresses for the host. The engine ignores the proxy settings of the machine.
 *
 * <p>An {@code http} request goes to exactly the address that was checked. Its request line contains the whole URI
 * ({@code GET http://host/path}), a form that every HTTP/1.1 server must accept. For {@code https} the JDK's client
 * resolves the name a second time, usually from the JVM's cache. If the name has another address by then, the client
 * may connect to an address that was not checked. The TLS handshake then fails, unless that server has a certificate
 * for the host name.
 */
public final class HttpJob implements Job {
    /** Name prefix of the headers that carry the context. */
    public static final String HEADER_PREFIX = "Ostraka-";

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern TEXT = Pattern.compile("[\\x20-\\x7e\\t]*");
    /** Headers that the JDK's client sets itself. */
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
     * Returns a builder for an HTTP job.
     *
     * @param method HTTP method, such as {@code POST}; {@code CONNECT} is not accepted
     * @param uri URI with the scheme {@code http} or {@code https} and a host, without user and password
     * @throws IllegalArgumentException if the method or the URI is not accepted
     */
    public static Builder request(String method, URI uri) {
        return new Builder(method, uri);
    }

    /** Returns the HTTP method. */
    public String method() {
        return method;
    }

    /** Returns the URI of the request. */
    public URI uri() {
        return uri;
    }

    /**
     * Returns the headers that were set for this job; none by default. The map contains neither the headers that carry
     * the context nor the {@link #secretHeaders}, and is unmodifiable.
     */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns the headers that were set for this job with secret values; none by default. The map is unmodifiable. */
    public Map<String, Secret> secretHeaders() {
        return secretHeaders;
    }

    /** Returns a copy of the request's body. Empty (the default) means that the request has no body. */
    public byte[] body() {
        return body.clone();
    }

    /**
     * Returns the time limit that applies to resolving the host name and, separately, to connecting; 10 s by default.
     */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** Returns the time limit for the request and its response, once the host name is resolved; 60 s by default. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /** Returns the method, the host and the path, without the query, which may be confidential. */
    @Override
    public String toString() {
        return method + " " + uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }

    /** Builds an HTTP job. Not thread-safe. */
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
                    "a method such as GET or POST, but not CONNECT");
            require(
                    Set.of("http", "https").contains(scheme) && uri.getHost() != null && uri.getRawUserInfo() == null,
                    "URI",
                    uri.getScheme() + "://" + uri.getHost(),
                    "http://HOST/… or https://HOST/…, without user and password");
            this.method = method;
            this.uri = uri;
        }

        /**
         * Sets a header, replacing an earlier header with the same name.
         *
         * @throws IllegalArgumentException if the name is not a valid header name, is reserved, or starts with {@value
         *     #HEADER_PREFIX}, or if the value is not printable ASCII
         */
        public Builder header(String name, String value) {
            requireName(name);
            require(TEXT.matcher(value).matches(), "header " + name, value, "printable ASCII");
            headers.put(name, value);
            return this;
        }

        /**
         * Sets a header with a secret value. The engine reads the secret before each request, and removes the secret
         * from the part of the response that it keeps.
         *
         * @throws IllegalArgumentException if the name is not a valid header name, is reserved, or starts with {@value
         *     #HEADER_PREFIX}
         */
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
                    "a header name that is none of " + RESERVED + " and does not start with " + HEADER_PREFIX);
        }

        /** Sets the body. Set its {@code Content-Type} with {@link #header(String, String)}. */
        public Builder body(byte[] bytes) {
            body = bytes.clone();
            return this;
        }

        /**
         * Sets the body to a string, encoded in UTF-8. Set its {@code Content-Type} with {@link #header(String,
         * String)}.
         */
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
                throw new IllegalArgumentException("HTTP job: " + field + " is '" + value + "'; accepted: " + accepted);
            }
        }

        /** Builds the job. */
        public HttpJob build() {
            return new HttpJob(this);
        }
    }
}
