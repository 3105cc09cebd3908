package io.ostraka.history.spool;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a row as bytes: one byte for its type, followed by its fields in JSON. Times are in milliseconds. The decoder
 * ignores unknown fields. Thread-safe.
 */
final class RowCodec {
    /** Types of rows; the first byte of a row is the position of its type in this list. Only append to it. */
    private static final List<Class<? extends Row>> TYPES = List.of(
            ClaimReport.class,
            TriggeredRun.class,
            Skipped.class,
            HistoryEvent.class,
            AuditEntry.class,
            Measurement.class);

    /** Fields that must not be null, by the type of the row. Cached, because a look-up for each row would be slow. */
    private static final Map<Class<?>, List<RecordComponent>> REQUIRED =
            TYPES.stream().collect(Collectors.toUnmodifiableMap(type -> type, RowCodec::required));

    private static final Gson GSON = new GsonBuilder()
            .disableHtmlEscaping()
            .registerTypeAdapter(Instant.class, millis(RowCodec::epochMillis, Instant::ofEpochMilli))
            .registerTypeAdapter(Duration.class, millis(RowCodec::millis, Duration::ofMillis))
            .create();

    private RowCodec() {}

    static byte[] encode(Row row) {
        byte[] json = GSON.toJson(row).getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[json.length + 1];
        bytes[0] = (byte) TYPES.indexOf(row.getClass());
        System.arraycopy(json, 0, bytes, 1, json.length);
        return bytes;
    }

    /**
     * Returns the row.
     *
     * @throws IOException if the bytes are not those of a row that this version knows; the message says why
     */
    static Row decode(byte[] bytes) throws IOException {
        int type = bytes.length == 0 ? -1 : bytes[0];
        if (type < 0 || type >= TYPES.size()) {
            throw new IOException("a row has the unknown type " + type);
        }
        Row row;
        try {
            row = GSON.fromJson(new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8), TYPES.get(type));
        } catch (RuntimeException e) { // from Gson, or from the constructor of the row
            throw new IOException("a row is not readable: " + e.getMessage(), e);
        }
        if (row == null) {
            throw new IOException("a row is empty");
        }
        requireComplete(row);
        return row;
    }

    private static List<RecordComponent> required(Class<? extends Row> type) {
        return Arrays.stream(type.getRecordComponents())
                .filter(component -> !component.getAnnotatedType().isAnnotationPresent(Nullable.class))
                .toList();
    }

    /** Refuses a row in which a field that must not be null is missing. */
    private static void requireComplete(Row row) throws IOException {
        for (RecordComponent component : REQUIRED.getOrDefault(row.getClass(), List.of())) {
            Object value;
            try {
                value = component.getAccessor().invoke(row);
            } catch (ReflectiveOperationException e) {
                throw new IOException("a row is not readable", e);
            }
            if (value == null) {
                throw new IOException("a row of type " + row.getClass().getSimpleName() + " has no "
                        + component.getName() + ", or a value that this version does not know");
            }
        }
    }

    private static long epochMillis(Instant instant) {
        return Math.floorDiv(instant.getNano(), 1_000_000) + Math.multiplyExact(instant.getEpochSecond(), 1_000L);
    }

    private static long millis(Duration duration) {
        return duration.toMillis();
    }

    private static <T> TypeAdapter<T> millis(ToLongFunction<T> write, Function<Long, T> read) {
        return new TypeAdapter<T>() {
            @Override
            public void write(JsonWriter out, @Nullable T value) throws IOException {
                if (value == null) {
                    out.nullValue();
                    return;
                }
                long millis;
                try {
                    millis = write.applyAsLong(value);
                } catch (ArithmeticException e) {
                    millis = value.toString().startsWith("-") ? Long.MIN_VALUE : Long.MAX_VALUE;
                }
                out.value(millis);
            }

            @Override
            public @Nullable T read(JsonReader in) throws IOException {
                if (in.peek() == JsonToken.NULL) {
                    in.nextNull();
                    return null;
                }
                return read.apply(in.nextLong());
            }
        };
    }
}
