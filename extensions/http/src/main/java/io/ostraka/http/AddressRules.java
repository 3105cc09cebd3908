package io.ostraka.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Decides whether an IP address belongs to the public internet. */
final class AddressRules {
    /** Multicast networks, and networks that IANA's special-purpose registries mark as not globally reachable. */
    private static final List<Block> SPECIAL = Stream.of(
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "192.88.99.0/24",
                    "192.168.0.0/16",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "224.0.0.0/4",
                    "240.0.0.0/4",
                    "2001::/23",
                    "2001:db8::/32",
                    "2002::/16",
                    "3fff::/20")
            .map(Block::of)
            .toList();

    /** Network of all global IPv6 addresses. Other IPv6 addresses are not public, except those in {@link #NAT64}. */
    private static final Block GLOBAL_IPV6 = Block.of("2000::/3");

    /**
     * IPv6 network through which machines without IPv4 reach IPv4 addresses. The last four bytes are the IPv4 address.
     */
    private static final Block NAT64 = Block.of("64:ff9b::/96");

    private AddressRules() {}

    static boolean isPublic(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16 && NAT64.holds(bytes)) {
            bytes = Arrays.copyOfRange(bytes, 12, 16);
        }
        byte[] judged = bytes;
        return (judged.length == 4 || GLOBAL_IPV6.holds(judged))
                && SPECIAL.stream().noneMatch(block -> block.holds(judged));
    }

    /** A network: all addresses that begin with the same bits. */
    private record Block(byte[] prefix, int bits) {
        static Block of(String text) {
            int slash = text.indexOf('/');
            try {
                // a numeric address causes no look-up
                return new Block(
                        InetAddress.getByName(text.substring(0, slash)).getAddress(),
                        Integer.parseInt(text.substring(slash + 1)));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(text, e);
            }
        }

        boolean holds(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> (bit % 8);
                if ((address[bit / 8] & mask) != (prefix[bit / 8] & mask)) {
                    return false;
                }
            }
            return true;
        }
    }
}
