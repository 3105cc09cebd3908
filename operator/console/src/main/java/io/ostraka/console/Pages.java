package io.ostraka.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Serves the pages of the console: the files below {@code io/ostraka/console/web} on the class path. The files contain
 * no data, so a request for a file needs no caller; the API checks the caller of each request that a page sends.
 * Thread-safe.
 *
 * <p>A path whose last segment has no file extension is the address of a screen, such as the page of a job. Its
 * response is {@code index.html}, whose scripts then show the screen. The address of a screen should end with a slash,
 * because the name of a job may look like the name of a file. In HTML, {@value #ROOT} stands for the relative address
 * of the root, such as {@code ../../}. This address depends only on the depth of the requested path, so the pages work
 * below any path of an application or a proxy, without an element {@code base}.
 *
 * <p>A browser sends a request each time that it needs a file, and receives status 304 if the file has not changed. An
 * exception is a file whose name contains {@code -} and the first {@value #HASH_IN_NAME} hex digits of the SHA-256 of
 * its content, such as {@code app-1b4f0e98.js}. Such a file never changes, so a browser keeps it without a further
 * request.
 */
public final class Pages {
    /** Text that HTML contains in place of the relative address of the root. */
    static final String ROOT = "{root}";

    /** Number of hex digits of the hash in the name of a file that never changes. */
    static final int HASH_IN_NAME = 8;

    private static final String FILES = "web/";
    private static final String INDEX = "index.html";
    private static final String HTML = "text/html; charset=utf-8";
    private static final int MOST_SEGMENTS = 16;

    /** Names of policies that a page of the console may create; {@code 'none'} forbids all of them. */
    private static final String TRUSTED_TYPES = "'none'";

    /** Headers of each answer, in place of those and besides those that every response has. */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            String.join(
                    "; ",
                    "default-src 'none'",
                    "script-src 'self'",
                    "style-src 'self'",
                    "img-src 'self' data:",
                    "connect-src 'self'",
                    "font-src 'self'",
                    "base-uri 'none'",
                    "form-action 'none'",
                    "frame-ancestors 'none'",
                    "require-trusted-types-for 'script'",
                    "trusted-types " + TRUSTED_TYPES),
            "Referrer-Policy",
            "no-referrer",
            "Permissions-Policy",
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()");

    /** Content types by file extension. A name with another extension, or without one, is the name of a screen. */
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("html", HTML),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("map", "application/json"),
            Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("txt", "text/plain; charset=utf-8"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("png", "image/png"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("woff2", "font/woff2"));

    /** Names that can lead neither out of the directory of the files nor to a hidden file. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

    private final Map<String, Page> files = new ConcurrentHashMap<>();

    /** A file. Its content never changes while the process runs. */
    private record Page(String name, String type, byte[] content, String hash) {
        /**
         * Returns the response to a request.
         *
         * @param depth number of directories between the root and the requested path
         */
        Response response(Request request, int depth) {
            boolean isHtml = type.equals(HTML);
            String tag = "\"" + hash + (isHtml ? "-" + depth : "") + "\"";
            boolean neverChanges = !isHtml && name.contains("-" + hash.substring(0, HASH_IN_NAME) + ".");
            Map<String, String> headers = Map.of(
                    "Content-Type",
                    type,
                    "Cache-Control",
                    neverChanges ? "public, max-age=31536000, immutable" : "no-cache",
                    "ETag",
                    tag);
            if (isKnown(request, tag)) {
                return new Response(304, headers, new byte[0]);
            }
            return new Response(200, headers, isHtml ? html(depth == 0 ? "./" : "../".repeat(depth)) : content);
        }

        private byte[] html(String root) {
            return new String(content, StandardCharsets.UTF_8)
                    .replace(ROOT, root)
                    .getBytes(StandardCharsets.UTF_8);
        }

        /** Returns whether the client already has the response: the request contains the response's entity tag. */
        private static boolean isKnown(Request request, String tag) {
            return request.headers().getOrDefault("if-none-match", List.of()).stream()
                    .flatMap(each -> Stream.of(each.split(",")))
                    .map(String::strip)
                    .anyMatch(each -> each.equals("*") || each.equals(tag) || each.equals("W/" + tag));
        }
    }

    /** Returns whether a request is for a page. Other requests are for the API or the health of the console. */
    public static boolean serves(Request request) {
        String path = request.path();
        return path.startsWith("/")
                && Stream.of("/api", "/health").noneMatch(each -> path.equals(each) || path.startsWith(each + "/"));
    }

    /** Answers a request that {@linkplain #serves is for a page}. Every failure becomes a response. */
    public Response answer(Request request) {
        if (request.isHead()) {
            return answer(request.asGet()).withoutBody();
        }
        Response response;
        try {
            response = get(request);
        } catch (Problem e) {
            response = e.response();
        }
        for (Map.Entry<String, String> header : HEADERS.entrySet()) {
            response = response.with(header.getKey(), header.getValue());
        }
        return response;
    }

    private Response get(Request request) {
        if (!request.method().equals("GET")) {
            throw new Problem(Problem.Code.METHOD_NOT_ALLOWED, "the method is not accepted here; accepted: GET")
                    .header("Allow", "GET");
        }
        String path = request.path().substring(1);
        int depth = (int) path.chars().filter(each -> each == '/').count();
        return (depth < MOST_SEGMENTS ? page(path) : Optional.<Page>empty())
                .orElseThrow(() -> new Problem(Problem.Code.NOT_FOUND, "there is no such page"))
                .response(request, depth);
    }

    private Optional<Page> page(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        String type = name.contains(".") ? TYPES.get(name.substring(name.lastIndexOf('.') + 1)) : null;
        if (type == null) {
            return file(INDEX, HTML);
        }
        return NAME.matcher(path).matches() ? file(path, type) : Optional.empty();
    }

    private Optional<Page> file(String name, String type) {
        Page known = files.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        try (InputStream in = Pages.class.getResourceAsStream(FILES + name)) {
            if (in == null) {
                return Optional.empty();
            }
            byte[] content = in.readAllBytes();
            Page page = new Page(name, type, content, hash(content));
            files.put(name, page);
            return Optional.of(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
