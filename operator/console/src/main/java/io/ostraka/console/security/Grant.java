package io.ostraka.console.security;

import io.ostraka.api.operations.Role;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A role for some jobs: for the jobs whose names match a pattern, or for the jobs that have all of the given labels.
 * Immutable.
 *
 * <p>Settings hold a grant as text:
 *
 * <ul>
 *   <li>{@code ADMIN}: the role for all jobs of all namespaces
 *   <li>{@code OPERATOR orders}: the role for all jobs of a namespace
 *   <li>{@code OPERATOR orders/settle-*}: the role for some jobs of a namespace; an asterisk stands for any characters
 *   <li>{@code OPERATOR orders label:team=payments}: the role for the jobs with this label; further labels may follow,
 *       and a job must have all of them
 * </ul>
 *
 * @param role the role, which includes the lower roles
 * @param namespaces pattern of the names of namespaces
 * @param jobs pattern of the names of jobs
 * @param labels labels of the jobs by key; empty to ignore labels
 */
public record Grant(Role role, String namespaces, String jobs, Map<String, String> labels) {
    private static final String ACCEPTED = "ROLE, ROLE NAMESPACE, ROLE NAMESPACE/JOB or ROLE NAMESPACE label:KEY=VALUE,"
            + " where ROLE is VIEWER, OPERATOR or ADMIN, and * in a name stands for any characters";
    private static final int LONGEST_KEY = 63;
    private static final int LONGEST_VALUE = 512;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a pattern or a label is not accepted
     */
    public Grant {
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
        if (!Wildcard.accepts(namespaces)
                || !Wildcard.accepts(jobs)
                || !labels.entrySet().stream().allMatch(each -> isLabel(each.getKey(), each.getValue()))
                || !labels.isEmpty() && !new Wildcard(jobs).matchesAll()) {
            throw refused(text(role, namespaces, jobs, labels));
        }
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if the text is not accepted
     */
    public static Grant parse(String text) {
        String[] parts = text.strip().split("\\s+label:", -1);
        String[] words = parts[0].split("\\s+", -1);
        Map<String, String> labels = new TreeMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals < 0 || labels.put(parts[i].substring(0, equals), parts[i].substring(equals + 1)) != null) {
                throw refused(text);
            }
        }
        String scope = words.length == 1 ? "*" : words[1];
        int slash = scope.indexOf('/');
        if (words.length > 2 || !labels.isEmpty() && (words.length == 1 || slash >= 0)) {
            throw refused(text);
        }
        try {
            return new Grant(
                    Role.valueOf(words[0]),
                    slash < 0 ? scope : scope.substring(0, slash),
                    slash < 0 ? "*" : scope.substring(slash + 1),
                    labels);
        } catch (IllegalArgumentException e) {
            throw refused(text);
        }
    }

    /** Returns the text form. */
    public String text() {
        return text(role, namespaces, jobs, labels);
    }

    @Override
    public String toString() {
        return text();
    }

    /** Returns whether the grant includes a role for anything in a namespace. */
    boolean covers(Role wanted, String namespace) {
        return role.compareTo(wanted) >= 0 && new Wildcard(namespaces).matches(namespace);
    }

    /** Returns whether the grant is for all jobs of its namespaces, and so for the namespaces themselves. */
    boolean coversAllJobs() {
        return labels.isEmpty() && new Wildcard(jobs).matchesAll();
    }

    /** Returns whether the name of a job matches; the labels are not compared. */
    boolean matches(String job) {
        return new Wildcard(jobs).matches(job);
    }

    private static String text(Role role, String namespaces, String jobs, Map<String, String> labels) {
        StringBuilder text = new StringBuilder(role.name());
        boolean allJobs = jobs.equals("*");
        if (!allJobs || !labels.isEmpty() || !namespaces.equals("*")) {
            text.append(' ').append(namespaces);
        }
        if (!allJobs) {
            text.append('/').append(jobs);
        }
        labels.forEach(
                (key, value) -> text.append(" label:").append(key).append('=').append(value));
        return text.toString();
    }

    private static boolean isLabel(String key, String value) {
        return !key.isEmpty()
                && key.length() <= LONGEST_KEY
                && key.chars().allMatch(each -> each > ' ' && each < 127 && each != '=')
                && !value.isBlank()
                && value.length() <= LONGEST_VALUE
                && value.chars().noneMatch(Character::isISOControl);
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException(
                "grant '" + Names.printable(text) + "' is not accepted; accepted: " + ACCEPTED);
    }
}
