package io.ostraka.types;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.Secret;
import io.ostraka.core.time.Clock;
import io.ostraka.http.HttpGuard;
import io.ostraka.http.HttpSender;
import io.ostraka.http.Printable;
import io.ostraka.http.SignedPost;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends each alarm to another server in one POST request: as the library's JSON, or as text from a template.
 * Thread-safe.
 */
final class AlarmWebhook implements AlarmHandler {
    /** Minimum length of a part of the target's path or query that may be a password. */
    private static final int SECRET_LENGTH = 8;

    private static final Gson GSON = new GsonBuilder()
            .disableHtmlEscaping()
            .setStrictness(Strictness.STRICT)
            .create();
    private static final int LONGEST_ANSWER = 200;
    private static final String NAME = "webhook";
    private static final String JSON = "application/json; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final URI target;
    private final @Nullable Secret secret;
    private final @Nullable AlarmTemplate template;
    private final SignedPost post;

    /**
     * Creates a handler.
     *
     * @param target URI that receives the alarms
     * @param secret signs the requests, and is the value of the template's <code>${secret}</code>; read again for each
     *     request. Null for requests without a signature
     * @param template template of the body; null for the library's JSON
     * @param guard must allow the target
     * @param clock supplies the timestamps of the requests
     * @throws IllegalArgumentException if the template is not accepted
     */
    AlarmWebhook(URI target, @Nullable Secret secret, @Nullable AlarmTemplate template, HttpGuard guard, Clock clock) {
        if (template != null) {
            check(template, secret != null);
        }
        this.target = target;
        this.secret = secret;
        this.template = template;
        this.post = new SignedPost(target, secret, guard, clock::now);
    }

    /**
     * Checks a template by filling in two example alarms.
     *
     * @param withSecret true if the webhook has a secret
     * @throws IllegalArgumentException if the result of a JSON template is not valid JSON, or if the template needs a
     *     secret and the webhook has none
     */
    static void check(AlarmTemplate template, boolean withSecret) {
        if (template.usesSecret() && !withSecret) {
            throw new IllegalArgumentException(
                    "the alarm template contains ${secret}, but the webhook has no secret; accepted: both or neither");
        }
        for (Alarm.State state : Alarm.State.values()) {
            String text = template.render(AlarmTemplate.example(state), "example");
            try {
                if (template.isJson() && GSON.fromJson(text, JsonElement.class) == null) {
                    throw new JsonParseException("it is empty");
                }
            } catch (JsonParseException e) {
                throw new IllegalArgumentException(
                        "the alarm template is not JSON after its placeholders were filled in: " + e.getMessage()
                                + "; accepted: JSON with placeholders within its strings",
                        e);
            }
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** @throws IOException if the server does not accept the alarm within 15 seconds */
    @Override
    public void handle(Alarm alarm) throws IOException, InterruptedException {
        String known = secret != null && template != null && template.usesSecret() ? new String(secret.read()) : "";
        String body = template == null ? GSON.toJson(json(alarm)) : template.render(alarm, known);
        Excerpt excerpt = new Excerpt(hidden(known));
        HttpSender.Answer answer = post.send(
                alarm.idempotencyKey(),
                template == null || template.isJson() ? JSON : TEXT,
                body.getBytes(StandardCharsets.UTF_8),
                excerpt.kept());
        if (!answer.success()) {
            String text = Printable.line(excerpt.beginning(answer.body()));
            throw new IOException("the alarm webhook at " + post.host() + " answered with " + answer.status()
                    + (text.isEmpty() ? "" : ": " + text.substring(0, Math.min(text.length(), LONGEST_ANSWER))));
        }
    }

    /** Returns the texts to remove from an answer before it is logged: the secret and the parts of the target. */
    private List<String> hidden(String secret) {
        List<String> hidden = new ArrayList<>(List.of(secret));
        for (String part :
                new String[] {target.getRawPath(), target.getRawQuery(), target.getPath(), target.getQuery()}) {
            if (part != null && part.length() > 1) { // the path of a chat system's webhook is its password
                hidden.add(part);
                Stream.of(part.split("[/&=?]"))
                        .filter(each -> each.length() >= SECRET_LENGTH)
                        .forEach(hidden::add);
            }
        }
        return hidden;
    }

    private static Map<String, Object> json(Alarm alarm) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("format", 1);
        json.put("event", alarm.event());
        json.put("id", alarm.id());
        json.put("idempotencyKey", alarm.idempotencyKey());
        json.put("namespace", alarm.namespace());
        if (alarm.job() != null) {
            json.put("job", alarm.job());
        }
        json.put("kind", alarm.kind().name());
        json.put("state", alarm.state().name());
        json.put("since", alarm.since().toString());
        json.put("at", alarm.at().toString());
        json.put("text", alarm.text());
        json.put("items", alarm.items());
        json.put("itemCount", alarm.itemCount());
        json.put("labels", alarm.labels());
        return json;
    }
}
