import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares jars with known advisories, or asks osv.dev for the advisories anew. {@code build/advisories} calls it. Exit code
 * 1: a jar has an advisory. Exit code 2: the arguments or a file are not accepted, or osv.dev does not answer.
 */
final class Advisories {
    private static final String HEAD = """
            # Known advisories of the jars that the modules need at run time. `build/advisories refresh` writes this file anew.
            # coordinate | first affected version | fixed version, or - if there is none | id | link
            """;
    private static final String OSV = "https://api.osv.dev/v1/";
    private static final String LINK = "https://osv.dev/vulnerability/";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int COLUMNS = 5;
    private static final String NONE = "-";

    /** A line of the goal {@code dependency:list}: group, artifact, type, perhaps a classifier, version and scope. */
    private static final Pattern JAR =
            Pattern.compile("\\s*([\\w.-]+):([\\w.-]+):jar:(?:[\\w.-]+:)?([\\w.-]+):(?:compile|runtime)\\b.*");

    private static final Pattern PART = Pattern.compile("\\d+|[a-zA-Z]+");
    private static final Pattern PREVIEW = Pattern.compile("(?i)alpha|beta|m|rc|cr|pre|snapshot");

    record Jar(String coordinate, String version) {}

    /**
     * Versions of a jar with a known defect.
     *
     * @param from first affected version
     * @param fixed first version without the defect; {@value #NONE} if there is none
     */
    record Advisory(String coordinate, String from, String fixed, String id, String link) {
        boolean concerns(Jar jar) {
            return coordinate.equals(jar.coordinate())
                    && compare(jar.version(), from) >= 0
                    && (fixed.equals(NONE) || compare(jar.version(), fixed) < 0);
        }

        String line() {
            return String.join(" | ", coordinate, from, fixed, id, link);
        }
    }

    private Advisories() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 3 || !Set.of("check", "refresh").contains(arguments[0])) {
            System.err.println("usage: java build/Advisories.java check|refresh ADVISORIES LIST...");
            System.exit(2);
        }
        Path known = Path.of(arguments[1]);
        try {
            Set<Jar> jars = jars(Arrays.asList(arguments).subList(2, arguments.length));
            if (arguments[0].equals("refresh")) {
                refresh(jars, known);
            } else {
                System.exit(check(jars, known) ? 0 : 1);
            }
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("build/advisories: " + e.getMessage());
            System.exit(2);
        }
    }

    private static Set<Jar> jars(List<String> lists) throws IOException {
        Set<Jar> jars = new TreeSet<>((one, other) -> one.toString().compareTo(other.toString()));
        for (String list : lists) {
            for (String line : Files.readAllLines(Path.of(list))) {
                Matcher jar = JAR.matcher(line);
                if (jar.matches() && !jar.group(1).startsWith("io.ostraka")) {
                    jars.add(new Jar(jar.group(1) + ":" + jar.group(2), jar.group(3)));
                }
            }
        }
        if (jars.isEmpty()) {
            throw new IllegalArgumentException("the lists contain no jar; pass files that dependency:list has written");
        }
        return jars;
    }

    /** Prints the jars with an advisory, and returns whether there are none. */
    private static boolean check(Set<Jar> jars, Path known) throws IOException {
        List<Advisory> advisories = read(known);
        int found = 0;
        for (Jar jar : jars) {
            for (Advisory each : advisories) {
                if (each.concerns(jar)) {
                    found++;
                    System.out.println(jar.coordinate() + ":" + jar.version() + " has " + each.id()
                            + (each.fixed().equals(NONE) ? ", not fixed yet: " : ", fixed in " + each.fixed() + ": ")
                            + each.link());
                }
            }
        }
        System.out.println(jars.size() + " jars, " + advisories.size() + " known advisories, " + found + " found");
        return found == 0;
    }

    private static List<Advisory> read(Path known) throws IOException {
        List<Advisory> advisories = new ArrayList<>();
        for (String line : Files.readAllLines(known)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split("\\s*\\|\\s*");
            if (parts.length != COLUMNS) {
                throw new IllegalArgumentException(
                        "the line '" + line + "' in " + known + " is not accepted; accepted: five columns");
            }
            advisories.add(new Advisory(parts[0], parts[1], parts[2], parts[3], parts[4]));
        }
        return advisories;
    }

    /** Compares versions part by part; a preview such as RC1 comes before its version, and other words do not count. */
    static int compare(String one, String other) {
        List<Integer> left = parts(one);
        List<Integer> right = parts(other);
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            int order = Integer.compare(i < left.size() ? left.get(i) : 0, i < right.size() ? right.get(i) : 0);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static List<Integer> parts(String version) {
        List<Integer> parts = new ArrayList<>();
        Matcher part = PART.matcher(version);
        while (part.find()) {
            String text = part.group();
            if (Character.isDigit(text.charAt(0))) {
                parts.add(text.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(text));
            } else if (PREVIEW.matcher(text).matches()) {
                parts.add(-1);
            }
        }
        return parts;
    }

    private static void refresh(Set<Jar> jars, Path known) throws IOException, InterruptedException {
        Set<String> coordinates = new TreeSet<>();
        jars.forEach(jar -> coordinates.add(jar.coordinate()));
        Set<String> ids = ids(List.copyOf(coordinates));
        Set<String> lines = new TreeSet<>();
        for (String id : ids) {
            addLines(ask(HttpRequest.newBuilder(URI.create(OSV + "vulns/" + id))), coordinates, lines);
        }
        Files.writeString(known, HEAD + String.join("\n", lines) + "\n");
        System.out.println(coordinates.size() + " jars, " + lines.size() + " lines in " + known);
    }

    /** Returns the ids of all advisories of the jars, also of those that are fixed in the present versions. */
    private static Set<String> ids(List<String> coordinates) throws IOException, InterruptedException {
        Set<String> ids = new TreeSet<>();
        JsonArray open = new JsonArray();
        coordinates.forEach(each -> open.add(query(each)));
        while (!open.isEmpty()) {
            JsonObject body = new JsonObject();
            body.add("queries", open.deepCopy());
            JsonArray results = ask(HttpRequest.newBuilder(URI.create(OSV + "querybatch"))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body.toString())))
                    .getAsJsonArray("results");
            JsonArray next = new JsonArray();
            for (int i = 0; i < results.size(); i++) {
                JsonObject result = results.get(i).getAsJsonObject();
                for (JsonElement each : list(result, "vulns")) {
                    ids.add(each.getAsJsonObject().get("id").getAsString());
                }
                if (result.has("next_page_token")) {
                    JsonObject more = open.get(i).getAsJsonObject();
                    more.add("page_token", result.get("next_page_token"));
                    next.add(more);
                }
            }
            while (!open.isEmpty()) {
                open.remove(0);
            }
            open.addAll(next);
        }
        return ids;
    }

    private static JsonObject query(String coordinate) {
        JsonObject artifact = new JsonObject();
        artifact.addProperty("ecosystem", "Maven");
        artifact.addProperty("name", coordinate);
        JsonObject query = new JsonObject();
        query.add("package", artifact);
        return query;
    }

    private static void addLines(JsonObject advisory, Set<String> coordinates, Set<String> lines) {
        if (advisory.has("withdrawn")) {
            return;
        }
        String id = advisory.get("id").getAsString();
        for (JsonElement each : list(advisory, "affected")) {
            JsonObject affected = each.getAsJsonObject();
            String name = affected.has("package")
                    ? affected.getAsJsonObject("package").get("name").getAsString()
                    : "";
            if (!coordinates.contains(name)) {
                continue;
            }
            for (JsonElement range : list(affected, "ranges")) {
                String from = NONE;
                for (JsonElement event : list(range.getAsJsonObject(), "events")) {
                    JsonObject one = event.getAsJsonObject();
                    if (one.has("introduced")) {
                        from = one.get("introduced").getAsString();
                        lines.add(new Advisory(name, from, NONE, id, LINK + id).line());
                    } else if (one.has("fixed") && !from.equals(NONE)) {
                        lines.remove(new Advisory(name, from, NONE, id, LINK + id).line());
                        lines.add(new Advisory(name, from, one.get("fixed").getAsString(), id, LINK + id).line());
                    } else if (one.has("last_affected") && !from.equals(NONE)) {
                        lines.remove(new Advisory(name, from, NONE, id, LINK + id).line());
                        // the part after it is the smallest version that is not affected
                        lines.add(new Advisory(name, from, one.get("last_affected").getAsString() + ".0.1", id, LINK + id)
                                .line());
                    }
                }
            }
        }
    }

    private static JsonArray list(JsonObject json, String name) {
        return json.has(name) ? json.getAsJsonArray(name) : new JsonArray();
    }

    private static JsonObject ask(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpRequest built = request.timeout(LIMIT).build();
        try {
            HttpResponse<String> answer = HttpClient.newBuilder()
                    .connectTimeout(LIMIT)
                    .build()
                    .send(built, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("it answered with " + answer.statusCode());
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException e) {
            throw new IOException("osv.dev could not be asked (" + built.uri() + ": " + e
                    + "); the file is unchanged, so repeat the command with a connection to the internet");
        }
    }
}
