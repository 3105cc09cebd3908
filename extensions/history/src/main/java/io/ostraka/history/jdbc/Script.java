package io.ostraka.history.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The statements that create the tables. In their text, <code>{prefix}</code> stands for the prefix of tables with
 * their schema, and <code>{name}</code> for the prefix without the schema. A statement ends with a semicolon at the end
 * of a line.
 *
 * @param source text with both marks
 */
record Script(String source) {
    private static final String RESOURCE = "V1.sql";

    static Script load(Dialect dialect) {
        try (InputStream resource = Script.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException("the library lacks its resource " + RESOURCE);
            }
            return new Script(dialect.script(new String(resource.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text for a prefix, with its comments. */
    String text(TablePrefix prefix) {
        return source.replace("{prefix}", prefix.text()).replace("{name}", prefix.withoutSchema());
    }

    /** Returns the statements for a prefix, without comments. */
    List<String> statements(TablePrefix prefix) {
        String code =
                text(prefix).lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
        return Arrays.stream(code.split(";\\s*(\n|$)"))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toList();
    }

    /** Returns the SHA-256 checksum of the statements. Comments, white space and the prefix do not count. */
    String checksum() {
        String code = String.join(";", statements(TablePrefix.DEFAULT)).replaceAll("\\s+", " ");
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(code.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has SHA-256
        }
    }
}
