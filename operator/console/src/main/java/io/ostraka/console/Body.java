package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the body of a request, or a document within it, as a JSON object. */
public final class Body {
    /** Largest body in bytes; the largest export fits. */
    static final int LARGEST = 4 << 20;

    /** Largest number of values. Each value takes up to a hundred times the memory of its text. */
    static final int MOST_VALUES = 100_000;

    private static final int DEEPEST = 32;
    private static final int LONGEST_NUMBER = 40;

    private final String name;
    private final JsonReader reader;
    private int values;

    private Body(String name, JsonReader reader) {
        this.name = name;
        this.reader = reader;
    }

    /**
     * Returns the object in the body; an empty object if there is no body. A name that occurs twice is refused, because
     * readers disagree about which value counts.
     */
    static JsonObject object(Request request) {
        if (request.body().length == 0) {
            return new JsonObject();
        }
        try {
            return object(
                    "body",
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(request.body()))
                            .toString());
        } catch (CharacterCodingException e) {
            throw malformed("body", "it is not UTF-8");
        }
    }

    /**
     * Reads a text within a request as a JSON object, with the limits of a body.
     *
     * @param name name of the text, for messages
     * @throws Problem if the text is not a JSON object, has a member twice, has too many values or is nested too deeply
     */
    public static JsonObject object(String name, String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            if (reader.peek() != JsonToken.BEGIN_OBJECT) {
                throw malformed(name, "it is not an object");
            }
            JsonObject json = new Body(name, reader).element(0).getAsJsonObject();
            if (reader.peek() != JsonToken.END_DOCUMENT) {
                throw malformed(name, "something follows the object");
            }
            return json;
        } catch (MalformedJsonException | EOFException | IllegalStateException | NumberFormatException e) {
            throw malformed(name, "its JSON is not complete or not correct");
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory cannot fail", e);
        }
    }

    private JsonElement element(int depth) throws IOException {
        if (++values > MOST_VALUES) {
            throw malformed(name, "it has more than " + MOST_VALUES + " values");
        }
        if (depth > DEEPEST) {
            throw malformed(name, "it is nested more than " + DEEPEST + " levels deep");
        }
        switch (reader.peek()) {
            case BEGIN_OBJECT -> {
                JsonObject object = new JsonObject();
                reader.beginObject();
                while (reader.hasNext()) {
                    String member = reader.nextName();
                    if (object.has(member)) {
                        throw malformed(name, "the name '" + member + "' occurs twice");
                    }
                    object.add(member, element(depth + 1));
                }
                reader.endObject();
                return object;
            }
            case BEGIN_ARRAY -> {
                JsonArray array = new JsonArray();
                reader.beginArray();
                while (reader.hasNext()) {
                    array.add(element(depth + 1));
                }
                reader.endArray();
                return array;
            }
            case STRING -> {
                return new JsonPrimitive(reader.nextString());
            }
            case NUMBER -> {
                String digits = reader.nextString();
                if (digits.length() > LONGEST_NUMBER) {
                    throw malformed(name, "a number has more than " + LONGEST_NUMBER + " characters");
                }
                return new JsonPrimitive(new BigDecimal(digits));
            }
            case BOOLEAN -> {
                return new JsonPrimitive(reader.nextBoolean());
            }
            default -> {
                reader.nextNull();
                return JsonNull.INSTANCE;
            }
        }
    }

    private static Problem malformed(String name, String why) {
        return new Problem(Problem.Code.BAD_REQUEST, "the " + name + " is not accepted: " + why);
    }
}
