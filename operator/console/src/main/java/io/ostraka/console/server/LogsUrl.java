package io.ostraka.console.server;

import java.net.URI;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The template of links to a log system, such as {@code https://logs.example.org/search?q={runId}}. Its placeholders
 * are the keys of the MDC without their prefix {@code ostraka.}.
 */
final class LogsUrl {
    private static final Set<String> PLACEHOLDERS = Set.of("job", "item", "fire", "attempt", "runId", "token");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

    private LogsUrl() {}

    /**
     * Checks a template, and returns it. A placeholder must come after the host, so that no value can lead to another
     * host.
     *
     * @throws SettingValues.RefusedValue if the template is not accepted
     */
    static String check(String template) {
        Matcher placeholder = PLACEHOLDER.matcher(template);
        while (placeholder.find()) {
            if (!PLACEHOLDERS.contains(placeholder.group(1))) {
                throw new SettingValues.RefusedValue("there is no placeholder " + placeholder.group());
            }
        }
        URI example = uri(placeholder.replaceAll("1"));
        int path = template.indexOf('/', template.indexOf("//") + 2);
        int first = template.indexOf('{');
        if (!("https".equals(example.getScheme()) || "http".equals(example.getScheme())) || example.getHost() == null) {
            throw new SettingValues.RefusedValue("it does not begin with https://HOST/ or http://HOST/");
        } else if (first >= 0 && (path < 0 || first < path)) {
            throw new SettingValues.RefusedValue("a placeholder is not behind the host and its slash");
        } else if (example.getRawUserInfo() != null) {
            throw new SettingValues.RefusedValue("it contains a user, and every caller would read it");
        }
        return template;
    }

    private static URI uri(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new SettingValues.RefusedValue("a character must be percent-encoded");
        }
    }
}
