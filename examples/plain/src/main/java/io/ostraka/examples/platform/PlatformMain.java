package io.ostraka.examples.platform;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Commands of the {@link ReferencePlatform}. */
public final class PlatformMain {
    private static final String USAGE =
            """
            usage: init DIRECTORY APPLICATION ENVIRONMENT
                     creates a key of the application, and the key of the platform if there is none
                   serve DIRECTORY PORT [HOST [AUTHORITY...]]
                     serves the files. HOST is the address to listen on, by default only this machine. AUTHORITY is
                     a name, with its port unless it is 443, under which applications call a proxy in front""";

    private PlatformMain() {}

    /** Runs a command. */
    public static void main(String[] args) {
        try {
            run(args);
        } catch (IOException e) {
            System.err.println(e.getMessage() == null ? e : e.getMessage());
            System.exit(1);
        }
    }

    private static void run(String[] args) throws IOException {
        if (args.length == 4 && args[0].equals("init") && isName(args[2]) && isName(args[3])) {
            SecretFiles.Credentials created = SecretFiles.create(Path.of(args[1]), args[2], args[3]);
            System.out.println("key of the application: " + created.keyId() + " in the file " + created.key());
            System.out.println("key of the platform:    " + created.signingId() + " " + created.publicKey());
            System.out.println("configuration:          write " + Path.of(args[1], args[2], args[3] + ".json"));
        } else if (args.length >= 3 && args[0].equals("serve") && args[2].matches("\\d{1,5}")) {
            InetAddress host = args.length > 3 ? InetAddress.getByName(args[3]) : InetAddress.getLoopbackAddress();
            Set<String> names = new TreeSet<>(Arrays.asList(args).subList(Math.min(4, args.length), args.length));
            InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(args[2]));
            var platform =
                    new ReferencePlatform(Path.of(args[1]), address, names, Clock.systemUTC(), System.err::println);
            System.out.println("the platform is ready at " + platform.address());
        } else {
            System.err.println(USAGE);
            System.exit(2);
        }
    }

    private static boolean isName(String text) {
        return text.matches(ReferencePlatform.NAME);
    }
}
