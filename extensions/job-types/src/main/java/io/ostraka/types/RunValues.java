package io.ostraka.types;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.ostraka.api.HttpJob;
import io.ostraka.api.ScriptJob;
import io.ostraka.api.ShardingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Values of a run for programs in any language: as environment variables, as HTTP headers, or as JSON. Names are
 * derived from {@link ShardingContext}'s methods. Tokens are strings even in JSON, because many languages cannot
 * represent 64-bit JSON numbers exactly.
 */
final class RunValues {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
    private static final Pattern CAPITAL = Pattern.compile("(?=[A-Z])");
    private static final String TRIGGER_PARAMETERS = "triggerParameters";

    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Map<String, String> triggerParameters;

    /** Copies the values from the context of a run. */
    RunValues(ShardingContext context) {
        values.put("jobName", context.jobName());
        values.put("runId", context.runId());
        values.put("fireTime", context.fireTime().toString());
        context.previousFireTime().ifPresent(time -> values.put("previousFireTime", time.toString()));
        values.put("shardingItem", context.shardingItem());
        values.put("itemKey", context.itemKey());
        values.put("shardingTotalCount", context.shardingTotalCount());
        values.put("shardingItemParameter", context.shardingItemParameter());
        values.put("jobParameter", context.jobParameter());
        values.put("attempt", context.attempt());
        values.put("instanceId", context.instanceId());
        values.put("zone", context.zone());
        values.put("fencingToken", Long.toString(context.fencingToken()));
        values.put("generationToken", Long.toString(context.generationToken()));
        triggerParameters = new TreeMap<>(context.triggerParameters());
    }

    /**
     * Returns the values as environment variables, such as {@code OSTRAKA_FENCING_TOKEN}. The trigger's parameters are
     * not included.
     */
    Map<String, String> environment() {
        return renamed(name -> ScriptJob.VARIABLE_PREFIX
                + CAPITAL.matcher(name).replaceAll("_").toUpperCase(Locale.ROOT));
    }

    /**
     * Returns the values as headers, such as {@code Ostraka-Fencing-Token}. Percent signs and all characters outside
     * printable ASCII are percent-encoded as UTF-8. If there are trigger parameters, one header contains all of them,
     * form-encoded.
     */
    Map<String, String> headers() {
        Map<String, String> headers = renamed(RunValues::header);
        headers.replaceAll((name, value) -> encoded(value));
        if (!triggerParameters.isEmpty()) {
            headers.put(
                    header(TRIGGER_PARAMETERS),
                    triggerParameters.entrySet().stream()
                            .map(entry -> form(entry.getKey()) + "=" + form(entry.getValue()))
                            .collect(Collectors.joining("&")));
        }
        return headers;
    }

    /** Returns the values and the trigger's parameters as one JSON object. */
    String json() {
        Map<String, Object> all = new LinkedHashMap<>(values);
        all.put(TRIGGER_PARAMETERS, triggerParameters);
        return GSON.toJson(all);
    }

    private Map<String, String> renamed(UnaryOperator<String> rename) {
        Map<String, String> renamed = new LinkedHashMap<>();
        values.forEach((name, value) -> renamed.put(rename.apply(name), value.toString()));
        return renamed;
    }

    private static String header(String name) {
        return HttpJob.HEADER_PREFIX
                + name.substring(0, 1).toUpperCase(Locale.ROOT)
                + CAPITAL.matcher(name.substring(1)).replaceAll("-");
    }

    private static String form(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (each >= ' ' && each < 0x7f && each != '%') {
                encoded.append((char) each);
            } else {
                encoded.append(String.format("%%%02X", each & 0xff));
            }
        }
        return encoded.toString();
    }
}
