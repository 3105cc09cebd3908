package io.ostraka.cli;

import io.ostraka.api.AlarmKind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Silences of alarms, from the settings of all jobs. The settings show a silence at once. An alarm shows it only after
 * the leader has checked the alarm, and never if a handler has already received the alarm.
 */
final class Silences {
    /** Setting of a job with the silenced kinds. */
    static final String SETTING = "silencedAlarms";

    static final Silences NONE = new Silences(Answer.EMPTY);

    private final Map<String, Answer> overrides = new TreeMap<>();

    private Silences(Answer settings) {
        settings.objects("overrides").forEach((job, override) -> {
            if (!override.texts(SETTING).isEmpty()) {
                overrides.put(job, override);
            }
        });
    }

    /** Reads the silences. If the settings cannot be read, returns none. */
    static Silences read(Session session) {
        try {
            return new Silences(session.client().get(Client.path(session.namespace(), "settings")));
        } catch (Failure e) {
            if (e.exitCode() == ExitCode.UNREACHABLE) {
                throw e;
            }
            return NONE;
        }
    }

    /** Names the operator who silences alarms of this kind, and the silence's end; empty if they are not silenced. */
    String of(String job, String kind, Times times) {
        Answer override = overrides.getOrDefault(job, Answer.EMPTY);
        return override.texts(SETTING).contains(kind) ? by(override, times) : "";
    }

    private static String by(Answer override, Times times) {
        Answer change = override.object("changes").object(SETTING);
        return change.json().isEmpty() ? "by an unknown person" : "by " + Reports.change(times, change);
    }

    /** Returns the names of the alarm kinds that a job silences, as a text. */
    String kinds(String job) {
        List<String> kinds = overrides.getOrDefault(job, Answer.EMPTY).texts(SETTING);
        boolean all = Stream.of(AlarmKind.values())
                .filter(AlarmKind::isOfJob)
                .map(Enum::name)
                .allMatch(kinds::contains);
        return all ? "all alarms" : "alarms " + kinds.stream().sorted().collect(Collectors.joining(", "));
    }

    /** Returns a line for each job with silenced alarms. */
    List<String> lines(Times times) {
        return overrides.keySet().stream()
                .map(job -> kinds(job) + " of job '" + job + "' are silenced "
                        + by(overrides.getOrDefault(job, Answer.EMPTY), times))
                .toList();
    }
}
