package io.ostraka.history.jdbc;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A position in a list, after a certain row. The position is stored as the key of this row, so rows that are inserted
 * or deleted meanwhile do not shift it. Immutable.
 */
public final class Cursor {
    /** Largest length of a text, in characters. */
    private static final int LONGEST = 4_000;

    private final Order order;
    private final List<Object> values;

    /** Orders of lists. A column whose name begins with {@code #} contains numbers. */
    enum Order {
        RUNS(true, "#fire_time", "run_id"),
        CLAIMS_OF_RUN(false, "item", "nonce"),
        CLAIMS_OF_ITEM(true, "#incarnation", "#fire_time", "#run_number", "nonce"),
        FAILURES(true, "#ended_at", "job", "item", "nonce"),
        SKIPPED(true, "#first_fire", "item", "#incarnation", "run_id", "reason", "#cursor_before"),
        EVENTS(true, "#happened_at", "source", "#segment", "#byte_offset"),
        ROLLUPS(false, "#hour_start", "kind"),
        HOURS(false, "#hour_start"),
        JOBS(false, "job"),
        CLAIMS_BY_NUMBER(false, "#run_number", "nonce"),
        CLAIMS_IN_RANGE(false, "#fire_time", "run_id", "item", "nonce"),
        SKIPPED_IN_RANGE(false, "#first_fire", "item", "#incarnation", "run_id", "reason", "#cursor_before"),
        ITEMS(false, "item", "#incarnation");

        final boolean descending;
        final List<Table.Column> columns;

        Order(boolean descending, String... columns) {
            this.descending = descending;
            this.columns = Table.columns(List.of(columns));
        }
    }

    private Cursor(Order order, List<Object> values) {
        this.order = order;
        this.values = values;
    }

    /** Returns the position after a row. */
    static Cursor after(Order order, ResultSet row) throws SQLException {
        List<Object> values = new ArrayList<>();
        for (Table.Column each : order.columns) {
            values.add(each.number() ? (Object) row.getLong(each.name()) : row.getString(each.name()));
        }
        return new Cursor(order, values);
    }

    /** Returns the position after a row with a key. */
    static Cursor after(Order order, Object... key) {
        return new Cursor(order, List.of(key));
    }

    /**
     * Returns the cursor for a text of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not one
     */
    public static Cursor parse(String text) {
        try {
            if (text.length() > LONGEST) {
                throw refused(text.substring(0, 20) + "...");
            }
            String json = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            JsonArray array = JsonParser.parseString(json).getAsJsonArray();
            Order order = Order.valueOf(array.get(0).getAsString());
            if (array.size() != order.columns.size() + 1) {
                throw refused(text);
            }
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < order.columns.size(); i++) {
                values.add(value(array.get(i + 1), order.columns.get(i)));
            }
            return new Cursor(order, values);
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw refused(text.length() > LONGEST ? text.substring(0, 20) + "..." : text);
        }
    }

    private static Object value(JsonElement element, Table.Column column) {
        JsonPrimitive value = element.getAsJsonPrimitive();
        if (column.number()) {
            return Long.parseLong(value.getAsString());
        }
        String text = value.getAsString();
        if (!value.isString() || text.indexOf('\0') >= 0) {
            throw refused(text);
        }
        return text;
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException("'" + text + "' is no cursor; accepted: a cursor from an earlier page");
    }

    /** Returns a text for URLs. It contains letters, digits, {@code -} and {@code _}. */
    public String text() {
        var array = new JsonArray();
        array.add(order.name());
        for (Object each : values) {
            if (each instanceof Long number) {
                array.add(number);
            } else {
                array.add((String) each);
            }
        }
        byte[] json = array.toString().getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    /**
     * Returns the key of the row before this position.
     *
     * @throws IllegalArgumentException if the cursor belongs to a list with another order
     */
    List<Object> values(Order expected) {
        if (order != expected) {
            throw new IllegalArgumentException("the cursor belongs to the list " + order + "; accepted: " + expected);
        }
        return values;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Cursor cursor && order == cursor.order && values.equals(cursor.values);
    }

    @Override
    public int hashCode() {
        return 31 * order.hashCode() + values.hashCode();
    }

    @Override
    public String toString() {
        return order + " after " + values;
    }
}
