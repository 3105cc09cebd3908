package io.ostraka.core.tree;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Skipped;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes item records and runs exactly as Gson would, but without reflection, for speed: every fire writes three of
 * these values. The exception is the previous end in a record, which is written without the values that can be derived
 * from its other values. Decoding uses Gson's own adapters.
 */
final class ItemForm {
    static final TypeAdapter<ItemRecord> RECORD = new TypeAdapter<>() {
        private final TypeAdapter<ItemRecord> form = Values.GSON.getAdapter(ItemRecord.class);

        @Override
        public void write(JsonWriter out, ItemRecord item) throws IOException {
            out.beginObject();
            out.name("state").value(item.state().name());
            out.name("cursor").value(text(item.cursor()));
            out.name("triggerCursor").value(item.triggerCursor());
            out.name("incarnation").value(item.incarnation());
            if (item.run() != null) {
                RUN.write(out.name("run"), item.run());
            }
            text(out, "endedAt", item.endedAt() == null ? null : text(item.endedAt()));
            text(out, "outcome", item.outcome() == null ? null : item.outcome().name());
            text(out, "error", item.error());
            out.name("consecutiveFailures").value(item.consecutiveFailures());
            text(out, "currentDelay", item.currentDelay());
            text(out, "runTime", item.runTime());
            out.name("skipped").beginArray();
            for (Skipped skipped : item.skipped()) {
                ItemForm.write(out, skipped);
            }
            out.endArray();
            text(out, "decidedBy", item.decidedBy());
            if (item.setBack() != null) {
                ItemForm.write(out, item.setBack());
            }
            if (item.release() != null) {
                ItemForm.write(out, item.release());
            }
            ItemForm.write(out, item.opened());
            if (item.previous() != null) {
                ItemForm.write(out, item.previous());
            }
            if (item.skip() != null) {
                ItemForm.write(out, item.skip());
            }
            out.endObject();
        }

        @Override
        public ItemRecord read(JsonReader in) throws IOException {
            JsonElement json = NodeFields.ELEMENTS.read(in);
            if (json instanceof JsonObject record && record.get("previous") instanceof JsonObject previous) {
                try {
                    complete(previous);
                } catch (RuntimeException e) {
                    throw NodeFields.within(".previous", e);
                }
            }
            return form.fromJsonTree(json);
        }
    };

    static final TypeAdapter<Run> RUN = new TypeAdapter<>() {
        private final TypeAdapter<Run> form = Values.GSON.getAdapter(Run.class);

        @Override
        public void write(JsonWriter out, Run run) throws IOException {
            out.beginObject().name("fire");
            ItemForm.write(out, run.fire());
            out.name("total").value(run.total());
            out.name("attempt").value(run.attempt());
            out.name("crashes").value(run.crashes());
            out.name("owner").value(run.owner());
            out.name("nonce").value(run.nonce());
            out.name("startedAt").value(text(run.startedAt()));
            out.name("busySince").value(text(run.busySince()));
            out.name("number").value(run.number());
            out.name("fenceEpoch").value(run.fenceEpoch());
            out.name("token").value(run.token());
            text(out, "cursor", run.cursor() == null ? null : text(run.cursor()));
            out.name("incarnation").value(run.incarnation());
            out.endObject();
        }

        @Override
        public Run read(JsonReader in) throws IOException {
            return form.read(in);
        }
    };

    static final TypeAdapter<Running> RUNNING = new TypeAdapter<>() {
        @Override
        public void write(JsonWriter out, Running running) throws IOException {
            out.beginObject().name("owner").value(running.owner()).name("fire");
            ItemForm.write(out, running.fire());
            out.endObject();
        }

        @Override
        public Running read(JsonReader in) {
            throw new UnsupportedOperationException("the engine does not read the content of running nodes");
        }
    };

    /**
     * Content of a running node, for people. A transaction may create several hundred of these nodes, so they do not
     * repeat the rest of the record's run.
     *
     * @param owner instance that runs the item
     */
    record Running(String owner, Fire fire) {
        static Running of(Run run) {
            return new Running(run.owner(), run.fire());
        }
    }

    /**
     * Cache of recently formatted seconds; the instants of one fire fall into a few seconds. Threads may overwrite each
     * other's entries without harm.
     */
    private static final Second[] SECONDS = new Second[16];

    /**
     * A formatted second.
     *
     * @param number seconds since 1970
     * @param text ISO 8601 text without fraction and zone
     */
    private record Second(long number, String text) {}

    private ItemForm() {}

    /** Returns the same text as {@link Instant#toString}. */
    static String text(Instant instant) {
        long number = instant.getEpochSecond();
        int place = (int) Math.floorMod(number, SECONDS.length);
        Second second = SECONDS[place];
        if (second == null || second.number != number) {
            String whole = Instant.ofEpochSecond(number).toString();
            second = new Second(number, whole.substring(0, whole.length() - 1));
            SECONDS[place] = second;
        }
        int nanos = instant.getNano();
        if (nanos == 0) {
            return second.text + "Z";
        }
        String digits = Integer.toString(1_000_000_000 + nanos); // the added 1 keeps leading zeros
        int end = nanos % 1_000_000 == 0 ? 4 : nanos % 1_000 == 0 ? 7 : 10;
        return second.text + "." + digits.substring(1, end) + "Z";
    }

    private static void write(JsonWriter out, Fire fire) throws IOException {
        out.beginObject();
        out.name("id").value(fire.id());
        out.name("at").value(text(fire.at()));
        out.name("triggerZxid").value(fire.triggerZxid());
        out.name("parameters").beginObject();
        for (Map.Entry<String, String> parameter : fire.parameters().entrySet()) {
            out.name(parameter.getKey()).value(parameter.getValue());
        }
        out.endObject();
        text(out, "fireTime", fire.fireTime() == null ? null : text(fire.fireTime()));
        if (fire.omitted() != null) {
            out.name("omitted").value(fire.omitted());
        }
        out.endObject();
    }

    private static void write(JsonWriter out, Skipped skipped) throws IOException {
        out.beginObject();
        out.name("from").value(skipped.from().toString());
        out.name("to").value(skipped.to().toString());
        out.name("count").value(skipped.count());
        out.name("reason").value(skipped.reason().name());
        out.endObject();
    }

    private static void write(JsonWriter out, ItemRecord.SetBack setBack) throws IOException {
        out.name("setBack").beginObject();
        out.name("by").value(setBack.by());
        out.name("reason").value(setBack.reason());
        out.name("request").value(setBack.request());
        out.name("at").value(setBack.at().toString());
        out.name("from").value(setBack.from().toString());
        text(out, "ran", setBack.ran());
        out.endObject();
    }

    private static void write(JsonWriter out, ItemRecord.Release release) throws IOException {
        out.name("release").beginObject();
        out.name("by").value(release.by());
        out.name("reason").value(release.reason());
        out.name("request").value(release.request());
        out.name("at").value(release.at().toString());
        out.endObject();
    }

    private static void write(JsonWriter out, ItemRecord.Opened opened) throws IOException {
        out.name("opened").beginObject();
        out.name("incarnation").value(opened.incarnation());
        out.name("cursor").value(text(opened.cursor()));
        out.endObject();
    }

    /** Writes an end without the values of its run that {@link #complete} adds. */
    private static void write(JsonWriter out, ItemRecord.End end) throws IOException {
        Run run = end.run();
        Fire fire = run.fire();
        out.name("previous")
                .beginObject()
                .name("run")
                .beginObject()
                .name("fire")
                .beginObject();
        if (fire.triggered()) {
            out.name("id").value(fire.id());
            out.name("triggerZxid").value(fire.triggerZxid());
        }
        out.name("at").value(text(fire.at()));
        text(out, "fireTime", fire.fireTime() == null ? null : text(fire.fireTime()));
        out.endObject();
        out.name("total").value(run.total());
        out.name("attempt").value(run.attempt());
        if (!run.owner().equals(ownerIn(run.nonce()))) {
            out.name("owner").value(run.owner());
        }
        out.name("nonce").value(run.nonce());
        out.name("startedAt").value(text(run.startedAt()));
        out.name("number").value(run.number());
        out.name("token").value(run.token());
        text(out, "cursor", run.cursor() == null ? null : text(run.cursor()));
        out.name("incarnation").value(run.incarnation());
        out.endObject();
        out.name("endedAt").value(text(end.endedAt()));
        out.name("outcome").value(end.outcome().name());
        text(out, "error", end.error());
        out.endObject();
    }

    /** Adds the values that {@link #write(JsonWriter, ItemRecord.End)} leaves out. */
    private static void complete(JsonObject end) {
        if (!(end.get("run") instanceof JsonObject run) || !(run.get("fire") instanceof JsonObject fire)) {
            return; // the decoder says what is missing
        }
        if (!run.has("owner") && run.has("nonce")) {
            run.addProperty("owner", ownerIn(Values.part(run, "nonce", String.class)));
        }
        for (String zero : List.of("crashes", "fenceEpoch")) {
            run.addProperty(zero, 0);
        }
        run.add("busySince", run.get("startedAt"));
        fire.add("parameters", new JsonObject());
        fire.asMap().putIfAbsent("triggerZxid", new JsonPrimitive(0));
        if (!fire.has("id") && fire.has("at")) {
            fire.addProperty(
                    "id", Fire.scheduled(Values.part(fire, "at", Instant.class)).id());
        }
    }

    /** Returns the id of the instance that made a claim. The claim's nonce begins with this id. */
    private static String ownerIn(String nonce) {
        int end = nonce.indexOf('/');
        return end < 0 ? "" : nonce.substring(0, end);
    }

    private static void write(JsonWriter out, ItemRecord.Skip skip) throws IOException {
        out.name("skip").beginObject();
        out.name("after").value(text(skip.after()));
        out.name("upTo").value(text(skip.upTo()));
        out.name("incarnation").value(skip.incarnation());
        out.endObject();
    }

    private static void text(JsonWriter out, String name, @Nullable Object value) throws IOException {
        if (value != null) {
            out.name(name).value(value.toString());
        }
    }
}
