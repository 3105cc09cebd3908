package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The verbs for tokens of the console. */
final class Tokens {
    private static final int BYTES = 32;
    private static final int DAYS = 90;

    private Tokens() {}

    /**
     * Creates a token and prints it once. The settings of the console get only its hash. A plain hash is enough: unlike
     * a password, a token of 256 random bits cannot be found by trying.
     */
    static ExitCode create(Invocation call) {
        String name = call.require("NAME");
        if (!name.matches("[A-Za-z0-9._@-]{1,128}")) {
            throw Failure.usage("the name of the token is '" + name
                    + "'; accepted: at most 128 letters, digits, hyphens, underscores, dots and at signs");
        }
        String token = token(new SecureRandom());
        List<String> settings = List.of(
                "tokens." + name + ".hash=" + hash(token),
                "tokens." + name + ".grants=VIEWER",
                "tokens." + name + ".expires="
                        + call.session().now().plus(DAYS, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS));
        JsonObject json = new JsonObject();
        json.addProperty("token", token);
        JsonArray lines = new JsonArray();
        settings.forEach(lines::add);
        json.add("settings", lines);
        call.output()
                .object(
                        json,
                        token,
                        Stream.concat(Stream.of(token), settings.stream()).toList());
        call.terminal()
                .say(
                        "The first line is the token, which is shown only now: store it in a file that only '" + name
                                + "' can read. The other lines are for the settings of the console; choose the grants and the expiry.");
        return ExitCode.OK;
    }

    static String token(RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return "ostraka_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    static String hash(String token) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256")
                                    .digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
