package io.ostraka.core.tree;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import com.google.gson.stream.MalformedJsonException;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The form of every node: one JSON object with a format number. Reading is bounded in size and depth before anything is
 * made of it, makes fixed types only (nothing in a node ever chooses a class), and takes no value for granted: what is
 * missing is refused here and not where it is used. Fields that this version doesn't know are kept apart and written back.
 */
final class Codec {
    /** Where Gson's messages say that it stopped; what they advise is for programmers. */
    private static final Pattern POSITION = Pattern.compile("line \\d+ column \\d+");

    private static final String FORMAT_FIELD = "format";
    private static final int FORMAT = 1;
    private static final String BEGINNING = "{\"" + FORMAT_FIELD + "\":" + FORMAT;
    /** Of a record with its run; others are the exception. */
    private static final int TYPICAL_LENGTH = 768;

    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_DEPTH = 32;
    private static final int MOST_SHOWN = 200;

    private static final Gson GSON = Values.builder()
            .registerTypeAdapter(Definition.class, new DefinitionForm())
            .registerTypeAdapter(ShardingPlan.class, new PlanForm())
            .registerTypeAdapter(FireProgress.class, new FireForm())
            .registerTypeAdapter(InstanceInfo.class, new InstanceForm())
            .registerTypeAdapter(ItemRecord.class, ItemForm.RECORD)
            .registerTypeAdapter(Run.class, ItemForm.RUN)
            .create();

    private Codec() {}

    /** Writes a value, with what an earlier reader found beside it. */
    static byte[] encode(Object value, JsonObject unknown) {
        if (unknown.isEmpty()) {
            return encode(value);
        }
        JsonObject json = unknown.deepCopy();
        json.addProperty(FORMAT_FIELD, FORMAT);
        GSON.toJsonTree(value).getAsJsonObject().asMap().forEach(json::add);
        return GSON.toJson(json).getBytes(StandardCharsets.UTF_8);
    }

    /** Writes a value with nothing beside it, without making a tree of it first: each fire is written three times. */
    static byte[] encode(Object value) {
        StringBuilder json = new StringBuilder(TYPICAL_LENGTH).append(BEGINNING);
        GSON.toJson(value, value.getClass(), new JsonWriter(new Appending(json)));
        json.setCharAt(BEGINNING.length(), ','); // where the value's own object begins
        if (json.charAt(BEGINNING.length() + 1) == '}') {
            json.deleteCharAt(BEGINNING.length());
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** To what Gson makes itself it writes letter by letter, and Java's own locks each time. */
    private static final class Appending extends Writer {
        private final StringBuilder text;

        Appending(StringBuilder text) {
            super(text);
            this.text = text;
        }

        @Override
        public void write(int letter) {
            text.append((char) letter);
        }

        @Override
        public void write(char[] letters, int from, int count) {
            text.append(letters, from, count);
        }

        @Override
        public void write(String part) {
            text.append(part);
        }

        @Override
        public void write(String part, int from, int count) {
            if (count == part.length()) {
                text.append(part); // at once
            } else {
                text.append(part, from, from + count);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /**
     * Reads a node.
     *
     * @throws Unreadable saying what is wrong with it, whatever it holds
     */
    static <T> Versioned<T> decode(Node node, Class<T> type) {
        if (node.version() == NodeOp.ANY_VERSION) {
            throw new Unreadable(
                    node, type, "its version is -1, which ZooKeeper can't compare; write it by hand as it is", true);
        }
        if (node.data().length > MAX_BYTES) {
            throw new Unreadable(node, type, "it holds " + node.data().length + " bytes; accepted: " + MAX_BYTES);
        }
        try {
            JsonReader reader = new JsonReader(new StringReader(new String(node.data(), StandardCharsets.UTF_8)));
            reader.setStrictness(Strictness.STRICT);
            reader.setNestingLimit(MAX_DEPTH);
            JsonElement read = GSON.fromJson(reader, JsonElement.class);
            if (read == null) {
                throw new JsonParseException("it is empty");
            }
            requireEnd(reader);
            if (!read.isJsonObject()) {
                throw new JsonParseException("it holds no JSON object");
            }
            JsonObject json = read.getAsJsonObject();
            requireFormat(node, type, json);
            T value = NodeFields.read(GSON, json, type);
            fields(type).forEach(json::remove); // what is left is none of ours, and is written back
            return new Versioned<>(
                    value,
                    node.version(),
                    node.czxid(),
                    node.mzxid(),
                    node.stat().modified(),
                    json);
        } catch (Unreadable e) {
            throw e;
        } catch (RuntimeException e) {
            // Gson reports garbage with many types, those of our own constructors among them; all mean the same here
            throw new Unreadable(node, type, printable(reason(e)));
        }
    }

    /** The fields of a kind of node that this version knows: they are written anew, or left out, whatever was read. */
    private static Stream<String> fields(Class<?> type) {
        Stream<String> ofType = type == Definition.class ? DefinitionForm.fields() : NodeFields.components(type);
        return Stream.concat(ofType, Stream.of(FORMAT_FIELD, InstanceForm.JOBS_GZIP, PlanForm.ITEMS_GZIP));
    }

    /** What is wrong in the words of whoever refused it, which is mostly one of our own constructors. */
    private static String reason(RuntimeException e) {
        Throwable told = NodeFields.root(NodeFields.within("", e));
        String message = String.valueOf(told.getMessage()).lines().findFirst().orElse("");
        if (told instanceof MalformedJsonException || told instanceof EOFException) {
            if (message.startsWith("Nesting limit")) {
                return "its JSON is nested more than " + MAX_DEPTH + " levels deep";
            }
            Matcher at = POSITION.matcher(message);
            return "malformed JSON" + (at.find() ? " at " + at.group() : "");
        }
        return message;
    }

    /** What follows might be another object, which somebody wanted. */
    private static void requireEnd(JsonReader reader) {
        boolean ended;
        try {
            ended = reader.peek() == JsonToken.END_DOCUMENT;
        } catch (IOException e) {
            ended = false; // by text that is not JSON
        }
        if (!ended) {
            throw new JsonParseException("text follows the end of its JSON object");
        }
    }

    private static void requireFormat(Node node, Class<?> type, JsonObject json) {
        JsonElement format = json.get(FORMAT_FIELD);
        if (format == null
                || !format.isJsonPrimitive()
                || !format.getAsJsonPrimitive().isNumber()) {
            throw new JsonParseException("its format is " + format + "; accepted: " + FORMAT);
        }
        double number = format.getAsDouble(); // which cuts nothing off
        if (number > FORMAT && number == Math.rint(number)) {
            throw new Unreadable(
                    node,
                    type,
                    "its format is " + format + ", and this version reads up to " + FORMAT + "; upgrade this instance",
                    true);
        }
        if (number != FORMAT) {
            throw new JsonParseException("its format is " + format + "; accepted: " + FORMAT);
        }
    }

    /** Bounds the length and drops control characters, so that what a node holds can't forge log lines. */
    private static String printable(String text) {
        String shown = text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "…" : text;
        return shown.replaceAll("\\p{Cntrl}", "?");
    }

    /** A node whose data is none of ours. */
    static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Node node;
        private final boolean newer;

        private Unreadable(Node node, Class<?> type, String why) {
            this(node, type, why, false);
        }

        private Unreadable(Node node, Class<?> type, String why, boolean newer) {
            super(node.path() + " can't be read as " + type.getSimpleName() + ": " + why, null, false, false);
            this.node = node;
            this.newer = newer;
        }

        /** Returns what is to be said of it, and which version it has. */
        UnreadableNode damage() {
            return new UnreadableNode(String.valueOf(getMessage()), node.version(), newer);
        }
    }
}
