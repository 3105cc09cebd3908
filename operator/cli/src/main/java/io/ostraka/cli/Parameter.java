package io.ostraka.cli;

/**
 * A parameter of a verb.
 *
 * @param name option such as {@code --until}, or the label of a position such as {@code ITEM}
 * @param member name of the member in the body or of the query parameter; {@code job} for the job in the path
 * @param kind type
 * @param required true if the verb needs the parameter
 * @param description description for the help
 */
record Parameter(String name, String member, Kind kind, boolean required, String description) {
    static final String JOB = "job";

    static Parameter option(String name, String member, Kind kind, String description) {
        return new Parameter(name, member, kind, false, description);
    }

    static Parameter required(String name, String member, Kind kind, String description) {
        return new Parameter(name, member, kind, true, description);
    }

    static Parameter position(String label, String member, Kind kind, String description) {
        return new Parameter(label, member, kind, true, description);
    }

    boolean isOption() {
        return name.startsWith("--");
    }

    /** Returns the label of the value in the help. */
    String label() {
        if (!isOption()) {
            return name;
        }
        return switch (kind) {
            case PAIRS -> "NAME=VALUE";
            case FIELDS -> "FIELD=VALUE";
            case SPAN -> "DURATION";
            case TEXT, TEXTS, EACH -> name.substring(2).toUpperCase(java.util.Locale.ROOT);
            case ALARM_KINDS -> "KIND";
            case DOCUMENT -> "FILE";
            default -> kind.name();
        };
    }
}
