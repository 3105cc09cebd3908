package io.ostraka.console.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;

/** The network of a client, for limits. */
final class Networks {
    private static final int PREFIX_BYTES = 8;

    private Networks() {}

    /** Returns the 64-bit prefix of an IPv6 address; any other text unchanged. */
    static String of(String client) {
        String address =
                client.startsWith("[") && client.endsWith("]") ? client.substring(1, client.length() - 1) : client;
        int zone = address.indexOf('%');
        String plain = zone < 0 ? address : address.substring(0, zone);
        boolean isIpv6 = plain.indexOf(':') >= 0
                && plain.length() <= 45
                && plain.chars()
                        .allMatch(each -> Character.digit(each, 16) >= 0 && each < 128 || each == ':' || each == '.');
        if (!isIpv6) {
            return client;
        }
        try {
            byte[] bytes = InetAddress.getByName("[" + plain + "]").getAddress(); // brackets prevent a name lookup
            return bytes.length == 2 * PREFIX_BYTES
                    ? HexFormat.of().formatHex(Arrays.copyOf(bytes, PREFIX_BYTES)) + "/64"
                    : InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            return client;
        }
    }
}
