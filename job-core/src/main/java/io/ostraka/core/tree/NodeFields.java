package io.ostraka.core.tree;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import io.ostraka.api.OstrakaException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the fields of JSON objects. Exceptions name the invalid field. */
final class NodeFields {
    static final TypeAdapter<JsonElement> ELEMENTS = new Gson().getAdapter(JsonElement.class);

    /** Pattern of the path of a value in a Gson message. The rest of the message describes Gson's parser. */
    private static final Pattern GSON_PATH = Pattern.compile("at path \\$(\\S*)");

    private static final Pattern NAME = Pattern.compile("[A-Za-z]+");

    private static final int MOST_SHOWN = 60;
    /** Latest accepted time; arithmetic with later times could overflow. */
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    /** Cache of record components; the JVM would create them again for each node. */
    private static final ClassValue<List<Component>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<Component> computeValue(Class<?> type) {
            return !type.isRecord()
                    ? List.of()
                    : Arrays.stream(type.getRecordComponents())
                            .map(each ->
                                    new Component(each, each.getAnnotatedType().isAnnotationPresent(Nullable.class)))
                            .toList();
        }
    };

    private record Component(RecordComponent itself, boolean nullable) {
        String name() {
            return itself.getName();
        }
    }

    private NodeFields() {}

    /**
     * Reads one field of an object.
     *
     * @param read converts JSON into a value of a type
     * @throws RuntimeException if the field is missing or invalid; the message names the field
     */
    static <T> T part(
            JsonObject json,
            String field,
            TypeToken<T> type,
            BiFunction<@Nullable JsonElement, Type, @Nullable T> read) {
        try {
            T value = read.apply(json.get(field), type.getType());
            if (value == null) {
                throw new Misread("", "is missing");
            }
            return value;
        } catch (RuntimeException e) {
            String missing = root(e) instanceof NullPointerException && json.get(field) instanceof JsonObject part
                    ? firstMissing(part, type.getRawType())
                    : null;
            throw missing == null ? within("." + field, e) : new Misread("." + field + "." + missing, "is missing");
        }
    }

    /**
     * Reads an object and checks that only nullable components of records are null.
     *
     * @throws RuntimeException if a field is missing or invalid; the message names the field
     */
    static <T> T read(Gson gson, JsonObject json, Class<T> type) {
        try {
            T value = gson.fromJson(json, type);
            requireComplete(value);
            return value;
        } catch (RuntimeException e) {
            if (root(e) instanceof NullPointerException missing) { // the constructors of records throw it, too
                String name = firstMissing(json, type);
                String text = String.valueOf(missing.getMessage());
                throw new Misread(
                        name != null ? "." + name : NAME.matcher(text).matches() ? "." + text : "", "is missing");
            }
            throw e;
        }
    }

    private static @Nullable String firstMissing(JsonObject json, Class<?> type) {
        for (Component component : COMPONENTS.get(type)) {
            String name = component.name();
            JsonElement part = json.get(name);
            if (part == null || part.isJsonNull()) {
                if (!component.nullable()) {
                    return name;
                }
            } else if (part.isJsonObject()) {
                String within =
                        firstMissing(part.getAsJsonObject(), component.itself().getType());
                if (within != null) {
                    return name + "." + within;
                }
            }
        }
        return null;
    }

    /** Returns the names of a record's components; none if the type is not a record. */
    static Stream<String> components(Class<?> type) {
        return COMPONENTS.get(type).stream().map(Component::name);
    }

    /**
     * Returns the root cause. The search stops at the first exception of this library, because its message explains
     * more than its cause.
     */
    static Throwable root(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null && !(root instanceof OstrakaException)) {
            root = root.getCause();
        }
        return root;
    }

    /** Checks that all times are accepted, and that no component is null, because Gson sets missing fields to null. */
    private static void requireComplete(@Nullable Object value) {
        if (value instanceof Instant instant && (instant.isBefore(Instant.EPOCH) || instant.isAfter(LAST))) {
            throw new JsonParseException("a time is " + instant + "; accepted: " + Instant.EPOCH + " to " + LAST);
        }
        if (value instanceof Record entity) {
            for (Component component : COMPONENTS.get(entity.getClass())) {
                Object part = get(component.itself(), entity);
                if (part == null && !component.nullable()) {
                    throw new NullPointerException(component.name());
                }
                requireComplete(part);
            }
        } else if (value instanceof Collection<?> all) {
            all.forEach(NodeFields::requireElement);
        } else if (value instanceof Map<?, ?> all) {
            all.keySet().forEach(NodeFields::requireElement);
            all.values().forEach(NodeFields::requireElement);
        }
    }

    private static void requireElement(@Nullable Object element) {
        if (element == null) {
            throw new JsonParseException("an element is null");
        }
        requireComplete(element);
    }

    private static @Nullable Object get(RecordComponent component, Record entity) {
        try {
            return component.getAccessor().invoke(entity);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("records in nodes must be public", e);
        }
    }

    /** Returns the same failure with a message for operators that contains the path of the field. */
    static RuntimeException within(String place, RuntimeException e) {
        if (e instanceof Misread misread) {
            return new Misread(place + misread.path, misread.what);
        }
        Matcher path = GSON_PATH.matcher(String.valueOf(root(e).getMessage()));
        return path.find() ? new Misread(place + path.group(1), "is a value of the wrong kind") : e;
    }

    /** Thrown if a field is missing or has a value of the wrong type. */
    static final class Misread extends JsonParseException {
        private static final long serialVersionUID = 1L;

        private final String path;
        private final String what;

        private Misread(String path, String what) {
            super((path.isEmpty() ? "a value" : path.replaceFirst("^\\.", "")) + " " + what);
            this.path = path;
            this.what = what;
        }

        static Misread of(JsonReader in, JsonElement json, String accepted) {
            String value = json.toString();
            String shown = value.length() > MOST_SHOWN ? value.substring(0, MOST_SHOWN) + "…" : value;
            return new Misread(in.getPreviousPath().substring(1), "is " + shown + "; accepted: " + accepted);
        }
    }
}
