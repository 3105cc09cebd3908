package io.ostraka.core.tree;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.ostraka.api.JobConfiguration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Compresses text that may be too long for a node, with gzip and Base64. */
final class CompressedText {
    /** Length in characters up to which a text is stored without compression, so that people can read the node. */
    static final int PLAIN_LENGTH = 64 << 10;

    private static final int MAX_UNPACKED_BYTES = 1 << 24;
    /** Largest number of JSON values, each of which takes up to a hundred times the memory of its text. */
    private static final int MAX_VALUES = 4 * JobConfiguration.MAX_ITEMS;

    private CompressedText() {}

    static String pack(String json) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * Removes a field from an object and returns the decompressed JSON of the field.
     *
     * @throws RuntimeException if the field is not gzip in Base64, or is too long or has too many values after decompression
     */
    static <T extends JsonElement> T unpack(JsonObject from, String field, Class<T> type) {
        String text = Values.part(from, field, String.class);
        from.remove(field);
        byte[] packed;
        try {
            packed = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new JsonParseException(field + " is not base64");
        }
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            byte[] bytes = gzip.readNBytes(MAX_UNPACKED_BYTES);
            if (gzip.read() >= 0) {
                throw new JsonParseException(field + " unpacks to more than " + MAX_UNPACKED_BYTES + " bytes");
            }
            String unpacked = new String(bytes, StandardCharsets.UTF_8);
            if (unpacked.isEmpty()) {
                throw new JsonParseException(field + " is empty");
            }
            requireFewValues(field, unpacked);
            return Objects.requireNonNull(Values.GSON.fromJson(unpacked, type), field);
        } catch (IOException e) {
            throw new JsonParseException(field + " cannot be unpacked");
        }
    }

    /** Counts the values before any of them is created. */
    private static void requireFewValues(String field, String json) throws IOException {
        JsonReader reader = new JsonReader(new StringReader(json));
        reader.setStrictness(Strictness.STRICT);
        reader.setNestingLimit(Codec.MAX_DEPTH);
        int values = 0;
        while (values <= MAX_VALUES) {
            switch (reader.peek()) {
                case END_DOCUMENT -> {
                    return;
                }
                case END_OBJECT -> reader.endObject();
                case END_ARRAY -> reader.endArray();
                case NAME -> reader.skipValue();
                case BEGIN_OBJECT -> {
                    reader.beginObject();
                    values++;
                }
                case BEGIN_ARRAY -> {
                    reader.beginArray();
                    values++;
                }
                default -> {
                    reader.skipValue();
                    values++;
                }
            }
        }
        throw new JsonParseException(field + " holds more than " + MAX_VALUES + " values");
    }
}
