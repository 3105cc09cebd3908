package io.ostraka.cli;

import io.ostraka.cli.transport.Answer;
import java.util.List;
import java.util.stream.Stream;

/** Names of instances. */
final class Instances {
    private Instances() {}

    /** Returns all names in the view of the instances: their names, their ids and the names of their hosts. */
    static List<String> names(Answer view) {
        return view.list("instances").stream()
                .flatMap(Instances::namesOf)
                .distinct()
                .toList();
    }

    /** Returns the instances in the view that have the given name, id or host. */
    static List<Answer> named(Answer view, String name) {
        return view.list("instances").stream()
                .filter(each -> namesOf(each).anyMatch(name::equals))
                .toList();
    }

    static String id(Answer instance) {
        return instance.object("instance").text("id");
    }

    private static Stream<String> namesOf(Answer instance) {
        return Stream.of(
                        Items.shortInstance(id(instance)),
                        id(instance),
                        instance.object("instance").text("host"))
                .filter(each -> !each.isEmpty());
    }
}
