package io.ostraka.spring;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Knows in which file and line each property below {@code ostraka} is set. Immutable. */
final class PropertyPlaces {
    private final Map<ConfigurationPropertyName, ConfigurationProperty> bound;

    PropertyPlaces(BoundConfigurationProperties bound) {
        this.bound = new TreeMap<>(bound.getAll());
    }

    /**
     * Returns a property with its value, file and line, such as {@code ostraka.jobs.report.cron=0 0 3 * * ? (class path
     * resource [application.yml] - 12:13)}.
     *
     * @param prefix name of the group that contains the property
     * @param name name of the property, such as {@code jobParameter}. If it is a group, the first property of the group
     *     is returned
     */
    String of(String prefix, String name) {
        String full = prefix + "." + dashed(name);
        return first(full)
                .map(property -> property.getName() + "=" + property.getValue() + origin(property))
                .orElse(full);
    }

    /** Returns the file and line of the first property of a group; empty text if unknown. */
    String below(String group) {
        return first(group).map(PropertyPlaces::origin).orElse("");
    }

    private Optional<ConfigurationProperty> first(String name) {
        var wanted = ConfigurationPropertyName.adapt(name, '.');
        return bound.entrySet().stream()
                .filter(each -> wanted.equals(each.getKey()) || wanted.isAncestorOf(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static String origin(ConfigurationProperty property) {
        return property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
