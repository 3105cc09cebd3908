package io.ostraka.spring;

import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Finds the file and line in which a property below {@code ostraka} is set. Immutable. */
final class PropertyPlaces {
    /** Properties by name. Each element of a name has a dot before it, and is in lower case and without punctuation. */
    private final NavigableMap<String, ConfigurationProperty> bound = new TreeMap<>();

    PropertyPlaces(BoundConfigurationProperties bound) {
        bound.getAll().forEach((name, property) -> this.bound.put(key(name), property));
    }

    /**
     * Returns a property with its file and line, such as {@code ostraka.jobs.report.cron (class path resource
     * [application.yml] - 12:13)}. The text does not contain the value, because a placeholder may contain a password.
     *
     * @param prefix name of the group that contains the property
     * @param name name of the property, such as {@code jobParameter}. If it is a group, the first property of the group
     *     is returned
     */
    String of(String prefix, String name) {
        String full = prefix + "." + dashed(name);
        return first(full).map(PropertyPlaces::of).orElse(full);
    }

    /** Returns the name of a property with its file and line. */
    static String of(ConfigurationProperty property) {
        return property.getName() + origin(property);
    }

    /** Returns the file and line of the first property of a group; empty text if unknown. */
    String below(String group) {
        return first(group).map(PropertyPlaces::origin).orElse("");
    }

    private Optional<ConfigurationProperty> first(String name) {
        String wanted = key(ConfigurationPropertyName.adapt(name, '.'));
        return Optional.ofNullable(bound.ceilingEntry(wanted)) // a group comes directly before its properties
                .filter(each -> (each.getKey() + ".").startsWith(wanted + "."))
                .map(Map.Entry::getValue);
    }

    private static String key(ConfigurationPropertyName name) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> "." + JobSettings.canonical(name.getElement(i, ConfigurationPropertyName.Form.UNIFORM)))
                .collect(Collectors.joining());
    }

    private static String origin(ConfigurationProperty property) {
        return property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
