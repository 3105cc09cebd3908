package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.transport.Contexts;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Setting;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The verbs for contexts, which are saved connections. */
final class ContextVerbs {
    private ContextVerbs() {}

    private static Contexts read(Invocation call) {
        return Contexts.read(call.session().surroundings().requireContexts());
    }

    static ExitCode list(Invocation call) {
        Contexts contexts = read(call);
        Table table = Table.of("NAME", "CURRENT", "CONNECTION");
        JsonArray array = new JsonArray();
        contexts.all().forEach((name, settings) -> {
            boolean current = name.equals(contexts.current());
            JsonObject json = new JsonObject();
            json.addProperty("name", name);
            json.addProperty("current", current);
            settings.forEach((setting, value) -> json.addProperty(setting.key(), value));
            array.add(json);
            table.add(
                    name,
                    current ? "yes" : "",
                    settings.entrySet().stream()
                            .map(each -> each.getKey().key() + "=" + each.getValue())
                            .collect(Collectors.joining(" ")));
        });
        JsonObject json = new JsonObject();
        json.add("contexts", array);
        call.output().list(json, table);
        return ExitCode.OK;
    }

    static ExitCode use(Invocation call) {
        read(call).use(call.require("NAME"));
        call.terminal().say("the current context is now " + call.require("NAME"));
        return ExitCode.OK;
    }

    static ExitCode set(Invocation call) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            call.text(setting.option()).ifPresent(value -> settings.put(setting, value));
        }
        if (settings.isEmpty()) {
            throw Failure.usage("no connection option is given; accepted: "
                    + List.of(Setting.values()).stream().map(Setting::option).collect(Collectors.joining(", ")));
        }
        read(call).set(call.require("NAME"), settings);
        call.terminal()
                .say("context " + call.require("NAME") + " is saved in "
                        + call.session().surroundings().requireContexts());
        return ExitCode.OK;
    }

    static ExitCode remove(Invocation call) {
        read(call).remove(call.require("NAME"));
        call.terminal().say("context " + call.require("NAME") + " is removed");
        return ExitCode.OK;
    }
}
