package io.ostraka.remote;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.ostraka.http.Printable;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/** Reads JSON from the network. All failures are {@link RefusedAnswerException}s that name the place of the error. */
final class Json {
    private static final int LONGEST_SHOWN = 200;
    private static final int DEEPEST = 30;

    private Json() {}

    /** Decodes UTF-8. Throws an exception for malformed bytes instead of replacing them. */
    static String utf8(String place, byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new RefusedAnswerException(place + " is not in UTF-8", e);
        }
    }

    /** Reads an object. Refuses a member that occurs twice, because another parser could use the other value. */
    static JsonObject object(String place, String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            reader.setNestingLimit(DEEPEST);
            JsonElement read = element(reader);
            if (reader.peek() == JsonToken.END_DOCUMENT && read.isJsonObject()) {
                return read.getAsJsonObject();
            }
        } catch (IOException | JsonParseException | IllegalStateException | NumberFormatException e) {
            throw new RefusedAnswerException(place + " is not readable JSON", e);
        }
        throw new RefusedAnswerException(place + " is not a JSON object");
    }

    private static JsonElement element(JsonReader reader) throws IOException {
        switch (reader.peek()) {
            case BEGIN_OBJECT -> {
                JsonObject object = new JsonObject();
                reader.beginObject();
                while (reader.hasNext()) {
                    String name = reader.nextName();
                    if (object.has(name)) {
                        throw new RefusedAnswerException("the member '" + shown(name) + "' occurs twice");
                    }
                    object.add(name, element(reader));
                }
                reader.endObject();
                return object;
            }
            case BEGIN_ARRAY -> {
                JsonArray array = new JsonArray();
                reader.beginArray();
                while (reader.hasNext()) {
                    array.add(element(reader));
                }
                reader.endArray();
                return array;
            }
            default -> {
                return JsonParser.parseReader(reader); // a single value
            }
        }
    }

    static JsonObject object(String place, JsonObject in, String member) {
        if (in.get(member) instanceof JsonObject found) {
            return found;
        }
        throw wrong(place, in, member, "an object");
    }

    static String text(String place, JsonObject in, String member) {
        JsonElement found = in.get(member);
        if (found != null
                && found.isJsonPrimitive()
                && found.getAsJsonPrimitive().isString()) {
            return found.getAsString();
        }
        throw wrong(place, in, member, "a text");
    }

    static long number(String place, JsonObject in, String member, long least, long most) {
        JsonElement found = in.get(member);
        String accepted = "a whole number from " + least + " to " + most;
        try {
            if (found != null
                    && found.isJsonPrimitive()
                    && found.getAsJsonPrimitive().isNumber()) {
                long number = Long.parseLong(found.getAsString());
                if (number >= least && number <= most) {
                    return number;
                }
            }
        } catch (NumberFormatException e) {
            throw wrong(place, in, member, accepted);
        }
        throw wrong(place, in, member, accepted);
    }

    /** Refuses unknown members, because a misspelt name would otherwise be ignored without a message. */
    static void requireKnown(String place, JsonObject in, Set<String> known) {
        for (String member : in.keySet()) {
            if (!known.contains(member)) {
                throw new RefusedAnswerException(
                        place + " has the member '" + shown(member) + "'; accepted: " + new TreeSet<>(known));
            }
        }
    }

    static RefusedAnswerException wrong(String place, JsonObject in, String member, String accepted) {
        return new RefusedAnswerException(place + ": " + member
                + (in.has(member) ? " is " + shown(in.get(member).toString()) : " is missing") + "; accepted: "
                + accepted);
    }

    /**
     * Returns the beginning of a text from the network for use in a message, in one line without hidden characters.
     */
    static String shown(String text) {
        String beginning = text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "…" : text;
        return Printable.line(beginning);
    }
}
