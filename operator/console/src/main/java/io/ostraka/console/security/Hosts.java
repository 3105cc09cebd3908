package io.ostraka.console.security;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The hosts under which people reach the console. A page of another site can make a browser resolve its own name to the
 * address of the console (DNS rebinding); the header {@code Host} then names that site. Immutable.
 */
public final class Hosts {
    private static final int LONGEST = 255;
    private static final int HIGHEST_PORT = 65_535;
    /** An address of IPv4. A browser turns all its other forms into this one. */
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    private static final String LOCALHOST = "localhost";

    private final Set<String> accepted;
    private final boolean addresses;

    /**
     * A host with its port.
     *
     * @param name name or address in lower case; an IPv6 address is in brackets
     * @param port port with a colon; empty if there is none
     */
    record Host(String name, String port) {}

    /** @throws IllegalArgumentException if a host is not accepted or has a port */
    Hosts(Collection<String> accepted) {
        this(accepted, false);
        if (accepted.isEmpty()) {
            throw new IllegalArgumentException("there is no accepted host; name at least one");
        }
    }

    /**
     * Returns the hosts of an application: the given names, {@code localhost}, and every numeric address. No attacker can
     * make a browser resolve an address or {@code localhost} to something else.
     *
     * @throws IllegalArgumentException if a host is not accepted or has a port
     */
    public static Hosts ofApplication(Collection<String> names) {
        return new Hosts(names, true);
    }

    private Hosts(Collection<String> accepted, boolean addresses) {
        Set<String> names = new TreeSet<>();
        for (String each : accepted) {
            names.add(parse(each)
                    .filter(host -> host.port().isEmpty())
                    .orElseThrow(() -> new IllegalArgumentException("host '" + Names.printable(each)
                            + "' is not accepted; accepted: a name or an address without port, such as"
                            + " console.example.com or [::1]"))
                    .name());
        }
        this.accepted = names;
        this.addresses = addresses;
    }

    /**
     * Checks the host of a request.
     *
     * @throws Problem if the request names no host, several hosts or a host that is not accepted
     */
    public void check(Request request) {
        of(request);
    }

    /**
     * Checks the host of a request.
     *
     * @param host value of the header {@code Host}; empty if the request has none or several
     * @throws Problem if the host is not accepted
     */
    public void check(Optional<String> host) {
        of(host);
    }

    /**
     * Returns the host of a request.
     *
     * @throws Problem if the request names no host, several hosts or a host that is not accepted
     */
    Host of(Request request) {
        return of(request.header("host"));
    }

    private Host of(Optional<String> named) {
        return named.flatMap(Hosts::parse)
                .filter(host -> accepted.contains(host.name()) || addresses && isOwnOrAddress(host.name()))
                .orElseThrow(() -> new Problem(
                        Problem.Code.MISDIRECTED,
                        "the header Host does not name an accepted host; use an accepted name, or add this host to the"
                                + " settings of the console"));
    }

    /** Returns a host in lower case; empty if the text is not a host with an optional port. */
    static Optional<Host> parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        int end = lower.startsWith("[") ? lower.indexOf(']') + 1 : lower.indexOf(':');
        String name = end < 0 ? lower : lower.substring(0, end);
        String port = lower.substring(name.length());
        return text.length() <= LONGEST && isName(name) && isPort(port)
                ? Optional.of(new Host(name, port))
                : Optional.empty();
    }

    private static boolean isOwnOrAddress(String name) {
        return name.equals(LOCALHOST)
                || name.startsWith("[")
                || ADDRESS.matcher(name).matches();
    }

    private static boolean isName(String name) {
        return name.startsWith("[")
                ? name.length() > 2
                        && name.substring(1, name.length() - 1)
                                .chars()
                                .allMatch(
                                        each -> isDigit(each) || each >= 'a' && each <= 'f' || ":.".indexOf(each) >= 0)
                : !name.isEmpty()
                        && name.chars()
                                .allMatch(each ->
                                        isDigit(each) || each >= 'a' && each <= 'z' || "-._".indexOf(each) >= 0);
    }

    private static boolean isPort(String port) {
        return port.isEmpty()
                || port.length() >= 2
                        && port.length() <= 6
                        && port.startsWith(":")
                        && port.chars().skip(1).allMatch(Hosts::isDigit)
                        && Integer.parseInt(port.substring(1)) <= HIGHEST_PORT;
    }

    private static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }
}
