package io.ostraka.cli;

import io.ostraka.api.JobInstance;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.cli.transport.Answers;
import java.util.List;
import java.util.stream.Stream;

/** Names of instances. */
final class Instances {
    private Instances() {}

    /** Reads the instances of the namespace. */
    static List<InstanceDetails> read(Invocation call) {
        return call.client()
                .get(Answers.Instances.class, call.path("instances"))
                .value()
                .instances();
    }

    /** Returns all names of instances: their names, their ids and the names of their hosts. */
    static List<String> names(List<InstanceDetails> instances) {
        return instances.stream().flatMap(Instances::namesOf).distinct().toList();
    }

    /** Reads the instances that have the name, id or host on the command line. */
    static List<InstanceDetails> named(Invocation call) {
        String name = call.require("INSTANCE");
        return read(call).stream()
                .filter(each -> namesOf(each).anyMatch(name::equals))
                .toList();
    }

    private static Stream<String> namesOf(InstanceDetails details) {
        JobInstance instance = details.instance();
        return Stream.of(instance.name(), instance.id(), instance.host()).filter(each -> !each.isEmpty());
    }
}
