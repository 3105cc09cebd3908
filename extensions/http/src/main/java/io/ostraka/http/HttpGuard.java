package io.ostraka.http;

import io.ostraka.api.OstrakaException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Permits requests to allowed hosts only. All addresses of a host must be public, unless the host is listed as private
 * or is itself a numeric address. Immutable.
 */
public final class HttpGuard {
    private static final List<String> SCHEMES = List.of("http", "https");
    private static final Pattern ADDRESS = Pattern.compile("\\[.*]|[0-9.]+");

    private final Set<String> allowed;
    private final Set<String> privates;
    private final Resolver resolver;

    /** Looks up the addresses of a host. */
    public interface Resolver {
        /** @throws UnknownHostException if the host has no address */
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** Thrown for a request to a target that is not allowed. */
    public static final class Refused extends OstrakaException {
        private static final long serialVersionUID = 1L;

        private final String accepted;

        private Refused(String problem, String accepted) {
            super(problem + "; accepted: " + accepted, null);
            this.accepted = accepted;
        }

        /** Returns a description of the allowed targets. */
        public String accepted() {
            return accepted;
        }
    }

    /**
     * Creates a guard. A host is given as {@code host}, which allows every port, or as {@code host:port}, with a name
     * or a numeric address.
     *
     * @param allowed hosts that requests may go to
     * @param privates allowed hosts whose addresses need not be public
     * @throws IllegalArgumentException if an entry is not a host
     */
    public HttpGuard(Collection<String> allowed, Collection<String> privates) {
        this(allowed, privates, InetAddress::getAllByName);
    }

    /** Creates a guard as {@link #HttpGuard(Collection, Collection)} does, with another way to look up addresses. */
    public HttpGuard(Collection<String> allowed, Collection<String> privates, Resolver resolver) {
        this.allowed = allowed.stream().map(HttpGuard::parsed).collect(Collectors.toCollection(HashSet::new));
        this.privates = privates.stream().map(HttpGuard::parsed).collect(Collectors.toCollection(HashSet::new));
        this.resolver = resolver;
    }

    /**
     * Returns a guard that allows a single target.
     *
     * @param privates hosts whose addresses need not be public
     * @throws IllegalArgumentException if the target is not an http or https URI with a host, or contains a user or
     *     password
     */
    public static HttpGuard of(URI uri, Collection<String> privates) {
        return of(List.of(uri), privates);
    }

    /**
     * Returns a guard that allows the given targets.
     *
     * @param privates hosts whose addresses need not be public
     * @throws IllegalArgumentException if a target is not an http or https URI with a host, or contains a user or
     *     password
     */
    public static HttpGuard of(Collection<URI> uris, Collection<String> privates) {
        return new HttpGuard(uris.stream().map(HttpGuard::target).toList(), privates);
    }

    private static String target(URI uri) {
        if (!SCHEMES.contains(String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT))
                || uri.getHost() == null
                || uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException("A target is given as http://HOST/… or https://HOST/…, without user and"
                    + " password; the scheme is " + uri.getScheme() + ", the host " + uri.getHost());
        }
        return host(uri) + ":" + port(uri);
    }

    private static String parsed(String entry) {
        URI uri;
        try {
            uri = URI.create("http://" + entry);
        } catch (IllegalArgumentException e) {
            throw refusedEntry(entry);
        }
        if (uri.getHost() == null
                || uri.getRawUserInfo() != null
                || !uri.getRawPath().isEmpty()
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw refusedEntry(entry);
        }
        return uri.getPort() < 0 ? host(uri) : host(uri) + ":" + uri.getPort();
    }

    private static IllegalArgumentException refusedEntry(String entry) {
        return new IllegalArgumentException(
                "The host '" + entry + "' is not accepted; accepted: a name or an address, with"
                        + " or without a port, such as billing.example.com, 10.0.0.5:8080 or [fd00::5]");
    }

    /**
     * Checks that the host of a URI is allowed, without looking up its addresses.
     *
     * @throws Refused if it is not; the message names the allowed targets
     */
    public void requireAllowed(URI uri) {
        if (!SCHEMES.contains(String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT))) {
            throw new Refused("The scheme " + uri.getScheme() + " is not allowed", SCHEMES.toString());
        }
        if (!named(allowed, uri)) {
            throw new Refused(
                    "The host " + host(uri) + ":" + port(uri) + " is not allowed",
                    "the hosts of the registry builder's allowHttpJobs(…), or of ostraka.allow.http-hosts with Spring: "
                            + (allowed.isEmpty()
                                    ? "none"
                                    : allowed.stream().sorted().toList()));
        }
    }

    /**
     * Looks up the addresses of a URI's host once, and checks all of them.
     *
     * @return the address that the request must go to
     * @throws Refused if the host or one of its addresses is not allowed
     * @throws UnknownHostException if the host has no address
     */
    InetAddress resolve(URI uri) throws UnknownHostException {
        requireAllowed(uri);
        InetAddress[] addresses = resolver.resolve(host(uri));
        boolean anyAddress = named(privates, uri) || ADDRESS.matcher(host(uri)).matches();
        for (InetAddress address : addresses) {
            if (!anyAddress && !AddressRules.isPublic(address)) {
                throw new Refused(
                        "The host " + host(uri) + " has the address " + address.getHostAddress()
                                + ", which is not public",
                        "such addresses for the hosts of the registry builder's allowPrivateHosts(…), or of"
                                + " ostraka.allow.private-hosts with Spring");
            }
        }
        return addresses[0];
    }

    private static boolean named(Set<String> hosts, URI uri) {
        return hosts.contains(host(uri)) || hosts.contains(host(uri) + ":" + port(uri));
    }

    /** Returns the host in lower case and without a trailing dot. */
    private static String host(URI uri) {
        String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }
}
