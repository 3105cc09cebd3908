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
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the content of every node as a JSON object with a format number. Decoding checks size and depth before it
 * creates objects, and rejects missing values. The content of a node never determines the class of an object. Unknown
 * fields are kept and written back.
 */
final class Codec {
    /** Pattern of a position in a message of Gson. The rest of such a message is advice for programmers. */
    private static final Pattern POSITION = Pattern.compile("line \\d+ column \\d+");

    private static final String FORMAT_FIELD = "format";
    /** The format that this version writes and reads. Versions before 0.1.0 wrote the formats 1 and 2. */
    static final int FORMAT = 4;

    private static final String BEGINNING = "{\"" + FORMAT_FIELD + "\":" + FORMAT;
    /** Typical length of an encoded item record with its run, in characters. */
    private static final int TYPICAL_LENGTH = 768;

    private static final int MAX_BYTES = 1 << 20;
    static final int MAX_DEPTH = 32;
    private static final int MOST_SHOWN = 200;

    private static final Gson GSON = Values.builder()
            .registerTypeAdapter(Definition.class, new DefinitionForm())
            .registerTypeAdapter(ShardingPlan.class, new PlanForm())
            .registerTypeAdapter(FireProgress.class, new FireForm())
            .registerTypeAdapter(InstanceInfo.class, new InstanceForm())
            .registerTypeAdapter(HealthDigest.class, new DigestForm())
            .registerTypeAdapter(JobOverride.class, new OverrideForm())
            .registerTypeAdapter(JobAlarms.class, new AlarmsForm())
            .registerTypeAdapter(Backfill.Request.class, new BackfillForm())
            .registerTypeAdapter(ItemRecord.class, ItemForm.RECORD)
            .registerTypeAdapter(Run.class, ItemForm.RUN)
            .registerTypeAdapter(ItemForm.Running.class, ItemForm.RUNNING)
            .create();

    private Codec() {}

    /** Encodes a value together with the unknown fields that were read with it. */
    static byte[] encode(Object value, JsonObject unknown) {
        if (unknown.isEmpty()) {
            return encode(value);
        }
        JsonObject json = unknown.deepCopy();
        json.addProperty(FORMAT_FIELD, FORMAT);
        GSON.toJsonTree(value).getAsJsonObject().asMap().forEach(json::add);
        return text(json).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Encodes a value without unknown fields. This method builds no JSON tree, because speed matters: each fire of an
     * item encodes three values.
     */
    static byte[] encode(Object value) {
        StringBuilder json = new StringBuilder(TYPICAL_LENGTH).append(BEGINNING);
        GSON.toJson(value, value.getClass(), new JsonWriter(new Appending(json)));
        json.setCharAt(BEGINNING.length(), ','); // replaces the opening brace of the value
        if (json.charAt(BEGINNING.length() + 1) == '}') {
            json.deleteCharAt(BEGINNING.length());
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A writer that is faster than two alternatives: Gson's own writer, which writes single characters, and the JDK's
     * StringWriter, which takes a lock at each call.
     */
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
                text.append(part); // the whole string in one call
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
     * Decodes a node.
     *
     * @throws Unreadable if the content is invalid; the message gives the reason
     */
    static <T> Versioned<T> decode(Node node, Class<T> type) {
        if (node.version() == NodeOp.ANY_VERSION) {
            throw new Unreadable(
                    node,
                    type,
                    "its version is -1, which ZooKeeper cannot compare; write the node again with the same data",
                    false);
        }
        try {
            JsonObject json = json(node);
            requireFormat(node, type, json);
            T value = NodeFields.read(GSON, json, type);
            fields(type).forEach(json::remove); // the rest are unknown fields, which are written back
            return versioned(value, node, json);
        } catch (Unreadable e) {
            throw e;
        } catch (RuntimeException e) {
            // Gson and our own constructors report invalid data with many types of exceptions
            throw new Unreadable(node, type, Names.printable(reason(e), MOST_SHOWN));
        }
    }

    /** Returns a value as read from a node. */
    static <T> Versioned<T> versioned(T value, Node node, JsonObject unknown) {
        return new Versioned<>(
                value, node.version(), node.czxid(), node.mzxid(), node.stat().modified(), unknown);
    }

    /** Returns the text of an object. Null values are kept. */
    static String text(JsonObject json) {
        StringBuilder text = new StringBuilder(TYPICAL_LENGTH);
        try {
            NodeFields.ELEMENTS.write(new JsonWriter(new Appending(text)), json); // keeps null, which Gson leaves out
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static JsonObject json(Node node) {
        if (node.data().length > MAX_BYTES) {
            throw new JsonParseException("it holds " + node.data().length + " bytes; accepted: " + MAX_BYTES);
        }
        return json(new String(node.data(), StandardCharsets.UTF_8), MAX_BYTES);
    }

    /**
     * Parses a JSON object. Checks size and depth before it creates objects.
     *
     * @param largest largest number of characters
     */
    static JsonObject json(String text, int largest) {
        if (text.length() > largest) {
            throw new JsonParseException("it holds " + text.length() + " characters; accepted: " + largest);
        }
        JsonReader reader = new JsonReader(new StringReader(text));
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
        return read.getAsJsonObject();
    }

    /**
     * Returns the names of the fields that this version knows for a type. All other fields of a node are unknown
     * fields.
     */
    private static Stream<String> fields(Class<?> type) {
        Stream<String> ofType = type == Definition.class
                ? DefinitionForm.fields()
                : type == JobOverride.class ? OverrideForm.fields() : NodeFields.components(type);
        return Stream.concat(
                ofType, Stream.of(FORMAT_FIELD, InstanceForm.JOBS_GZIP, DigestForm.ALARMS_GZIP, PlanForm.ITEMS_GZIP));
    }

    /**
     * Returns the reason of a failure, for operators: the message of the root cause, which usually comes from one of
     * our own constructors.
     */
    private static String reason(RuntimeException e) {
        Throwable root = NodeFields.root(NodeFields.within("", e));
        String message = String.valueOf(root.getMessage()).lines().findFirst().orElse("");
        if (root instanceof MalformedJsonException || root instanceof EOFException) {
            if (message.startsWith("Nesting limit")) {
                return "its JSON is nested more than " + MAX_DEPTH + " levels deep";
            }
            Matcher at = POSITION.matcher(message);
            return "malformed JSON" + (at.find() ? " at " + at.group() : "");
        }
        return message;
    }

    /** Checks that nothing follows the JSON object. A second object may come from a manual edit of the node. */
    private static void requireEnd(JsonReader reader) {
        boolean ended;
        try {
            ended = reader.peek() == JsonToken.END_DOCUMENT;
        } catch (IOException e) {
            ended = false; // the rest is not JSON
        }
        if (!ended) {
            throw new JsonParseException("text follows the end of its JSON object");
        }
    }

    /**
     * Refuses a value of another format. If its number is whole, another version of the library has written the value,
     * so no instance may repair or replace it.
     */
    private static void requireFormat(Node node, Class<?> type, JsonObject json) {
        JsonElement format = json.get(FORMAT_FIELD);
        double number = format != null
                        && format.isJsonPrimitive()
                        && format.getAsJsonPrimitive().isNumber()
                ? format.getAsDouble() // keeps fractions and large numbers
                : Double.NaN;
        if (number == FORMAT) {
            return;
        }
        if (!(number >= 1) || number != Math.rint(number)) {
            throw new JsonParseException("its format is " + format + "; accepted: " + FORMAT);
        }
        throw new Unreadable(
                node,
                type,
                "its format is " + format + ", and this version reads " + FORMAT + "; "
                        + (number > FORMAT
                                ? "upgrade the library in this process"
                                : "a version before 0.1.0 has written it: delete the nodes of the namespace"),
                false);
    }

    /**
     * Returns the job that an unreadable trigger names; null if it names no job. In every format of a trigger, the job
     * is a plain text field.
     */
    static @Nullable String jobOf(Node trigger) {
        try {
            JsonElement job = json(trigger).get("job");
            return job != null && job.isJsonPrimitive() ? Names.requireJob(job.getAsString()) : null;
        } catch (RuntimeException e) {
            return null; // not JSON, or not a job's name
        }
    }

    /** Thrown if the content of a node is invalid. */
    static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Node node;
        private final boolean replaceable;

        private Unreadable(Node node, Class<?> type, String why) {
            this(node, type, why, true);
        }

        private Unreadable(Node node, Class<?> type, String why, boolean replaceable) {
            super(node.path() + " can't be read as " + type.getSimpleName() + ": " + why, null, false, false);
            this.node = node;
            this.replaceable = replaceable;
        }

        /** Returns the description of the damage and the node's version. */
        UnreadableNode damage() {
            return new UnreadableNode(String.valueOf(getMessage()), node.version(), replaceable);
        }
    }
}
