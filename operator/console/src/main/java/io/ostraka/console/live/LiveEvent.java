package io.ostraka.console.live;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.core.tree.ValueJson;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An event of a namespace, not yet filtered for a client. Immutable. */
sealed interface LiveEvent {
    /** The properties of a client that decide which events it gets. */
    interface Audience {
        /** Returns whether the client may see a job; null stands for all jobs of the namespace. */
        boolean sees(@Nullable String job);

        /** Returns whether the client displays a job. */
        boolean shows(String job);

        /** Returns whether the client follows the items of a job. */
        boolean follows(String job);
    }

    /** Returns the type of the event. */
    String type();

    /** Returns the subject. A later event replaces an earlier one of the same subject. */
    String subject();

    /** Returns the jobs in the event. */
    Set<String> jobs();

    /** Returns whether a client gets the event: it may see the subject, and the part that it may see has changed. */
    boolean concerns(Audience audience);

    /** Returns the text of the event for a client that it concerns. */
    String data(Audience audience);

    /** Returns the event that replaces this event and an earlier one of the same subject. */
    default LiveEvent after(LiveEvent earlier) {
        return this;
    }

    /** Returns the number of values in the event. */
    default int weight() {
        return 1;
    }

    /**
     * An event that is the same for all clients that may see it.
     *
     * @param data text of the event
     * @param scope clients that get the event
     * @param job the job of the scope; null if the scope has none
     */
    record Plain(String type, String subject, String data, Scope scope, @Nullable String job) implements LiveEvent {
        /** Clients that get an event. */
        enum Scope {
            /** All clients that may see the namespace. */
            EVERYONE,
            /** Clients that display the job and may see it; if there is none, clients that may see all jobs. */
            VIEWERS,
            /** Clients that follow the items of the job and may see it. */
            FOLLOWERS
        }

        /** Creates an event for all clients that may see the namespace. */
        static Plain toEveryone(String type, String subject, JsonObject data) {
            return new Plain(type, subject, data.toString(), Scope.EVERYONE, null);
        }

        @Override
        public Set<String> jobs() {
            return job == null ? Set.of() : Set.of(job);
        }

        @Override
        public boolean concerns(Audience audience) {
            return switch (scope) {
                case EVERYONE -> true;
                case VIEWERS -> (job == null || audience.shows(job)) && audience.sees(job);
                case FOLLOWERS -> job != null && audience.follows(job) && audience.sees(job);
            };
        }

        @Override
        public String data(Audience audience) {
            return data;
        }
    }

    /**
     * A new or changed instance. Each client sees only the jobs for which it has a role.
     *
     * @param before the instance as the clients know it; null if it is new
     * @param now the instance
     */
    record Instance(@Nullable InstanceDetails before, InstanceDetails now) implements LiveEvent {
        /** Type of the event. */
        static final String TYPE = "instance";

        /** Text in place of the problem of an instance, which may name any job. */
        private static final String HIDDEN_PROBLEM = "the instance has a problem; a role for all jobs shows it";

        static String subject(String id) {
            return TYPE + " " + id;
        }

        @Override
        public String type() {
            return TYPE;
        }

        @Override
        public String subject() {
            return subject(now.instance().id());
        }

        @Override
        public LiveEvent after(LiveEvent earlier) {
            return earlier instanceof Instance other ? new Instance(other.before, now) : new Instance(null, now);
        }

        @Override
        public Set<String> jobs() {
            return Stream.of(before, now)
                    .filter(Objects::nonNull)
                    .flatMap(each -> Stream.of(each.jobs(), each.items().keySet()))
                    .flatMap(Set::stream)
                    .collect(Collectors.toSet());
        }

        @Override
        public boolean concerns(Audience audience) {
            return before == null || !visible(before, audience).equals(visible(now, audience));
        }

        @Override
        public String data(Audience audience) {
            return ValueJson.write(visible(now, audience)).toString();
        }

        private static InstanceDetails visible(InstanceDetails all, Audience audience) {
            Map<String, Integer> items = new TreeMap<>(all.items());
            items.keySet().removeIf(job -> !audience.sees(job));
            return new InstanceDetails(
                    all.instance(),
                    all.pid(),
                    all.state(),
                    all.leading(),
                    all.clockAhead(),
                    all.jobs().stream().filter(audience::sees).collect(Collectors.toSet()),
                    items,
                    all.problem() == null || audience.sees(null) ? all.problem() : HIDDEN_PROBLEM,
                    all.healthGap());
        }
    }

    /**
     * Changed items of a job.
     *
     * @param changed new and changed items by key
     * @param removed keys of items that no longer exist
     * @param many true if too many items have changed to list them, so that the client reads the items that it displays
     */
    record Items(String job, Map<String, ItemDetails> changed, Set<String> removed, boolean many) implements LiveEvent {
        /** Largest number of items in an event. */
        static final int MOST = 500;

        /** Copies the collections, or drops them if they are too large for an event. */
        public Items {
            many = many || changed.size() + removed.size() > MOST;
            changed = many ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(changed));
            removed = many ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(removed));
        }

        @Override
        public String type() {
            return "items";
        }

        @Override
        public String subject() {
            return "items " + job;
        }

        @Override
        public int weight() {
            return 1 + changed.size() + removed.size();
        }

        @Override
        public LiveEvent after(LiveEvent earlier) {
            if (!(earlier instanceof Items other)) {
                return this;
            }
            Map<String, ItemDetails> all = new TreeMap<>(other.changed);
            all.keySet().removeAll(removed);
            all.putAll(changed);
            Set<String> gone = new TreeSet<>(other.removed);
            gone.removeAll(changed.keySet());
            gone.addAll(removed);
            return new Items(job, all, gone, many || other.many);
        }

        @Override
        public Set<String> jobs() {
            return Set.of(job);
        }

        @Override
        public boolean concerns(Audience audience) {
            return audience.follows(job) && audience.sees(job);
        }

        @Override
        public String data(Audience audience) {
            JsonObject json = new JsonObject();
            json.addProperty("job", job);
            if (many) {
                json.addProperty("many", true);
                return json.toString();
            }
            JsonArray items = new JsonArray();
            changed.values().stream().map(ValueJson::write).forEach(items::add);
            json.add("items", items);
            JsonArray gone = new JsonArray();
            removed.forEach(gone::add);
            json.add("removed", gone);
            return json.toString();
        }
    }
}
