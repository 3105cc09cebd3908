package io.ostraka.cli;

import io.ostraka.cli.transport.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Texts and layout of the command line's help. */
final class Help {
    private static final int WIDTH = 110;

    private Help() {}

    /** Adds descriptions to all commands. */
    static void describe(CommandLine root, Map<String, String> nouns) {
        root.getCommandSpec().version(version());
        UsageMessageSpec usage = root.getCommandSpec().usageMessage();
        usage.header("Operates the recurring jobs of an application.");
        usage.description(
                "Begin with 'ostraka status': it shows what needs you now, with the command that mends it.",
                "Connect with --server and a token, or with --zookeeper.");
        usage.commandListHeading("%nCommands:%n");
        usage.optionListHeading("%nOptions of every command:%n");
        usage.exitCodeListHeading("%nExit codes:%n");
        Map<String, String> codes = new LinkedHashMap<>();
        for (ExitCode each : ExitCode.values()) {
            codes.put(String.valueOf(each.code()), each.meaning());
        }
        usage.exitCodeList(codes);
        usage.footer(
                "",
                "Environment: OSTRAKA_SERVER, OSTRAKA_TOKEN, OSTRAKA_ZOOKEEPER, OSTRAKA_NAMESPACE, OSTRAKA_CONTEXT and",
                "OSTRAKA_ with the name of each other option of the connection; NO_COLOR.");
        visit(root, "", nouns);
    }

    private static void visit(CommandLine line, String path, Map<String, String> nouns) {
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.width(WIDTH).adjustLineBreaksForWideCJKCharacters(true).abbreviateSynopsis(true);
        if (nouns.containsKey(path)) {
            usage.description(nouns.get(path));
        }
        if (!path.isEmpty()) {
            usage.optionListHeading("%nOptions:%n");
            usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, Help::ownOptions);
            usage.footer("", "Options of every command: ostraka --help");
        }
        line.getSubcommands().forEach((name, sub) -> visit(sub, path.isEmpty() ? name : path + " " + name, nouns));
    }

    private static String ownOptions(CommandLine.Help help) {
        List<OptionSpec> own = help.commandSpec().options().stream()
                .filter(each -> !each.inherited() || each.usageHelp())
                .toList();
        return help.optionListExcludingGroups(own);
    }

    static String version() {
        String version = Help.class.getPackage().getImplementationVersion();
        return CommandTree.NAME + " " + (version == null ? "of a development build" : version);
    }
}
