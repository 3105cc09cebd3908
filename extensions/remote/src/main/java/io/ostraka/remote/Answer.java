package io.ostraka.remote;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An answer of the platform whose signature is verified. Its contents are not checked yet.
 *
 * @param revision revision of the contents, from 1
 * @param issuedAt time at which the platform issued the answer, by its clock
 * @param unchanged true if the answer only confirms that this revision is still the latest
 * @param connection settings of the connection
 * @param jobs fields of each job, by the name of the job
 * @param digest digest of the contents
 */
record Answer(
        long revision,
        Instant issuedAt,
        boolean unchanged,
        JsonObject connection,
        Map<String, JsonObject> jobs,
        String digest) {
    static final String SCHEMA = "ostraka-remote/1";
    static final String CLOCK_SCHEMA = "ostraka-remote-clock/1";

    private static final String PLACE = "the answer";
    private static final String NONCE = "nonce";
    private static final Set<String> HEAD =
            Set.of("schema", "application", "environment", "revision", NONCE, "issuedAt");
    private static final Set<String> CONFIRMATION = with("unchanged");
    private static final Set<String> CONFIGURATION = with("connection", "jobs");

    private static Set<String> with(String... members) {
        Set<String> all = new java.util.TreeSet<>(HEAD);
        all.addAll(Set.of(members));
        return all;
    }

    /**
     * Reads an answer.
     *
     * @param payload verified payload of the signed document
     * @param application name of this application
     * @param environment name of the environment in which this application runs
     * @param nonce nonce of the request
     * @throws RefusedAnswerException if the answer does not have the expected form, or if it belongs to another request
     */
    static Answer read(String payload, String application, String environment, String nonce) {
        JsonObject json = Json.object(PLACE, payload);
        require(json, "schema", SCHEMA);
        require(json, "application", application);
        require(json, "environment", environment);
        requireNonce(json, nonce);
        boolean unchanged = json.has("unchanged");
        Json.requireKnown(PLACE, json, unchanged ? CONFIRMATION : CONFIGURATION);
        if (unchanged && !json.get("unchanged").toString().equals("true")) {
            throw Json.wrong(PLACE, json, "unchanged", "true");
        }
        long revision = Json.number(PLACE, json, "revision", 1, Long.MAX_VALUE);
        JsonObject connection = json.has("connection") ? Json.object(PLACE, json, "connection") : new JsonObject();
        Map<String, JsonObject> jobs = new TreeMap<>();
        if (!unchanged) {
            JsonObject all = Json.object(PLACE, json, "jobs");
            for (String job : all.keySet()) {
                if (!JobConfiguration.NAME.matcher(job).matches()) {
                    throw new RefusedAnswerException("jobs has the name '" + Json.shown(job) + "'; accepted: "
                            + JobConfiguration.NAME.pattern());
                }
                jobs.put(job, Json.object("jobs", all, job));
            }
        }
        return new Answer(
                revision, time(json, "issuedAt"), unchanged, connection, jobs, digest(connection + "\n" + jobs));
    }

    /** Reads the time of the platform's clock from the answer with which the platform refuses the time of a request. */
    static Instant clock(String payload, String nonce) {
        JsonObject json = Json.object(PLACE, payload);
        require(json, "schema", CLOCK_SCHEMA);
        requireNonce(json, nonce);
        return time(json, "now");
    }

    /** Returns the entity tag of this revision, for the request header {@code If-None-Match}. */
    String tag() {
        return "\"" + revision + "\"";
    }

    private static void require(JsonObject json, String member, String accepted) {
        if (!Json.text(PLACE, json, member).equals(accepted)) {
            throw Json.wrong(PLACE, json, member, "'" + accepted + "'");
        }
    }

    private static void requireNonce(JsonObject json, String nonce) {
        if (!Json.text(PLACE, json, NONCE).equals(nonce)) {
            throw new RefusedAnswerException(
                    "the answer belongs to another request (its nonce differs), so it may be an old one");
        }
    }

    private static Instant time(JsonObject json, String member) {
        try {
            return Instant.parse(Json.text(PLACE, json, member));
        } catch (DateTimeException e) {
            throw Json.wrong(PLACE, json, member, "a time such as 2026-01-31T22:00:00Z");
        }
    }

    private static String digest(String contents) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(contents.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
