package io.ostraka.console;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the percent-encoded path and query of a request. Rejects any text that is not exactly in the expected form. */
final class Path {
    private static final int LONGEST = 8192;

    private Path() {}

    /** Returns the decoded segments of a path that starts with a slash. */
    static List<String> segments(String path) {
        if (path.length() > LONGEST || !path.startsWith("/")) {
            throw new Problem(Problem.Code.BAD_REQUEST, "the path is too long or does not start with a slash");
        }
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            String decoded = decode("the path", segment, false);
            if (decoded.isEmpty() || decoded.equals(".") || decoded.equals("..")) {
                throw new Problem(Problem.Code.BAD_REQUEST, "the path has an empty segment or one of dots");
            }
            segments.add(decoded);
        }
        return segments;
    }

    /** Returns the decoded parameters of a query. */
    static Map<String, List<String>> parameters(String query) {
        if (query.length() > LONGEST) {
            throw new Problem(Problem.Code.BAD_REQUEST, "the query has more than " + LONGEST + " characters");
        }
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        if (query.isEmpty()) {
            return parameters;
        }
        for (String parameter : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            if (equals <= 0) {
                throw new Problem(Problem.Code.BAD_REQUEST, "the query has a part that is not of the form name=value");
            }
            parameters
                    .computeIfAbsent(
                            decode("the query", parameter.substring(0, equals), true), first -> new ArrayList<>())
                    .add(decode("the query", parameter.substring(equals + 1), true));
        }
        return parameters;
    }

    private static String decode(String where, String text, boolean plusIsBlank) {
        ByteBuffer bytes = ByteBuffer.allocate(text.length());
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '%') {
                int value = text.length() - i > 2 ? hex(text, i + 1) : -1;
                if (value < 0) {
                    throw new Problem(Problem.Code.BAD_REQUEST, where + " has a percent sign without two hex digits");
                }
                bytes.put((byte) value);
                i += 2;
            } else if (letter < ' ' || letter > '~') {
                throw new Problem(Problem.Code.BAD_REQUEST, where + " has a character that must be percent-encoded");
            } else {
                bytes.put((byte) (letter == '+' && plusIsBlank ? ' ' : letter));
            }
        }
        String decoded = utf8(bytes.flip());
        if (decoded == null || decoded.chars().anyMatch(Character::isISOControl)) {
            throw new Problem(Problem.Code.BAD_REQUEST, where + " has a control character or bytes that are not UTF-8");
        }
        return decoded;
    }

    private static int hex(String text, int at) {
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    private static @Nullable String utf8(ByteBuffer bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(bytes)
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
