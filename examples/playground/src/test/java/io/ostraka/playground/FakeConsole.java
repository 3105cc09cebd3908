package io.ostraka.playground;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server with the real pages and prepared answers, in which nothing changes by itself. So a test knows each request that
 * the pages send.
 */
final class FakeConsole implements AutoCloseable {
    private static final String API = "/api/v1";
    private static final String NAMESPACE = API + "/namespaces/orders";

    /** A time as the server writes it. */
    static final String TIME = "2026-01-31T22:00:00Z";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Queue<String> reads = new ConcurrentLinkedQueue<>();
    private final Queue<String> commands = new ConcurrentLinkedQueue<>();
    private final Queue<String> streams = new ConcurrentLinkedQueue<>();

    private FakeConsole(HttpServer server) {
        this.server = server;
    }

    static FakeConsole start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        FakeConsole console = new FakeConsole(server);
        console.prepare();
        server.setExecutor(console.threads);
        server.createContext("/", console::page);
        server.createContext(API, console::answer);
        server.start();
        return console;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    /** Prepares the answer to a path below the namespace, as JSON with single quotes. */
    FakeConsole answer(String path, String json) {
        answers.put(NAMESPACE + path, json.replace('\'', '"'));
        return this;
    }

    /** Returns the answer that is prepared for a path below the namespace. */
    String prepared(String path) {
        return answers.get(NAMESPACE + path);
    }

    /** Returns the paths below the namespace that were read since the last call. */
    List<String> reads() {
        return drain(reads);
    }

    /** Returns the commands since the last call: the path below the namespace with its query, and the body. */
    List<String> commands() {
        return drain(commands);
    }

    /** Returns the queries of the streams that were opened since the last call. */
    List<String> streams() {
        return drain(streams);
    }

    private static List<String> drain(Queue<String> queue) {
        List<String> all = List.copyOf(queue);
        queue.clear();
        return all;
    }

    private void prepare() {
        answers.put(
                API + "/session",
                "{'name':'ann','origin':'session','grants':['ADMIN *'],'console':{'version':'1','history':true}}"
                        .replace('\'', '"'));
        answers.put(API + "/namespaces", "{\"namespaces\":[\"orders\"]}");
        String change = "{'by':'bob','reason':'until %s','at':'%s'}".formatted(TIME, TIME);
        String summary =
                "{'job':'settle','state':'PAUSED','stateText':'paused by bob until %1$s','health':[{'reason':{'kind':'OTHER','text':'since %1$s','since':'%1$s'},'instances':['a@1@2']}],"
                                .formatted(TIME)
                        + "'schedule':{'type':'cron','expression':'0 0 * * * ?','zone':'UTC'},'items':2,'owners':{'a@1@2':2},'nextFire':'%1$s','triggers':0,'at':'%1$s','unassigned':0}"
                                .formatted(TIME);
        String run =
                "{'number':1,'runId':'settle@%1$s','fire':'%1$s','triggered':false,'attempt':3,'runner':'a@1@2','startedAt':'%1$s','endedAt':'%1$s',"
                                .formatted(TIME)
                        + "'outcome':'CRASHED','error':'3 instances died since %s'}".formatted(TIME);
        String activity = "{'job':'settle','running':0,'outcomes':{'CRASHED':1},'lastFire':'%s','failuresInARow':1}"
                .formatted(TIME);
        answer("", "{'instances':1,'leader':'a@1@2','jobs':1,'drained':{'a':%s},'at':'%s'}".formatted(change, TIME))
                .answer(
                        "/instances",
                        "{'instances':[{'instance':{'id':'a@1@2','host':'h','zone':'','tags':{},'weight':1},'pid':1,'state':'WORKING','leading':true,'clockAhead':false,"
                                + "'jobs':['settle'],'items':{'settle':2},'problem':'drained since " + TIME + "'}]}")
                .answer(
                        "/problems",
                        "{'problems':[{'job':'settle','kind':'QUARANTINED_ITEMS','level':'ERROR','text':'items are quarantined: 1','details':['item 1: CRASHED %1$s, usually PT2.5S'],"
                                        .formatted(TIME)
                                + "'since':'%1$s','instances':['a@1@2'],'items':['1'],'alarms':[],'remedies':["
                                        .formatted(TIME)
                                + "{'text':'disable it','operation':'DISABLE_ITEM','command':{'job':'settle','item':'1'}},"
                                + "{'text':'release it','operation':'RELEASE_ITEM','command':{'job':'settle','item':'1'}},"
                                + "{'text':'look again after " + TIME + "'}]}]}")
                .answer("/jobs", "{'jobs':[" + summary + "],'total':1}")
                .answer("/activity", "{'activity':[" + activity + "]}")
                .answer(
                        "/jobs/settle",
                        "{'summary':" + summary + ",'activity':" + activity
                                + ",'fields':[{'field':'paused','overridden':true,'defined':false,'effective':true,'change':"
                                + change + "},"
                                + "{'field':'history','overridden':false,'defined':'ALL','effective':'ALL'},"
                                + "{'field':'schedule','overridden':true,'defined':{'type':'once','at':'%1$s'},'effective':{'type':'bounded','base':{'type':'once','at':'%1$s'},'from':'%1$s'},'change':"
                                        .formatted(TIME)
                                + change
                                + "}],'triggers':[{'runId':'settle@%1$s','created':'%1$s','items':[]}],'changes':{},'disabledInstances':[],'registeredBy':'a@1@2'}"
                                        .formatted(TIME))
                .answer(
                        "/jobs/settle/items",
                        "{'total':2,'items':[{'item':'0','state':'IDLE','owner':'a@1@2','disabled':false,'skipped':[],'failuresInARow':0,'version':1},"
                                + "{'item':'1','state':'QUARANTINED','owner':'a@1@2','disabled':false,'decidedUpTo':'"
                                + TIME
                                + "','skipped':[{'reason':'MISFIRED','count':2,'from':'%1$s','to':'%1$s'}],'failuresInARow':3,'version':1,'run':"
                                        .formatted(TIME)
                                + run + "}]}")
                .answer("/jobs/settle/items/1/explanation", "{'explanation':'quarantined since " + TIME + "'}")
                .answer("/jobs/settle/next-fires", "{'fires':['" + TIME + "']}")
                .answer("/settings", "{'format':1,'overrides':{'settle':{'paused':true}}}")
                .answer(
                        "/backfills",
                        "{'backfills':[{'job':'settle','state':'FAILED','first':'%1$s','end':'%1$s','fires':2,'triggered':2,'succeeded':1,'failed':1,'unknown':0,'failedDates':['%1$s']}]}"
                                .formatted(TIME))
                .answer(
                        "/alarms",
                        "{'alarms':[{'id':'x','job':'settle','kind':'QUARANTINED','since':'%1$s','began':'%1$s','text':'quarantined since %1$s','items':['1'],'itemCount':1,'silenced':false,'received':[],'receivedEnd':[]}]}"
                                .formatted(TIME))
                .answer("/forecast", forecast(List.of("settle")))
                .answer(
                        "/history/failures",
                        "{'failures':[{'nonce':'n','job':'settle','runId':'settle@%1$s','fireTime':'%1$s','startedAt':'%1$s','endedAt':'%1$s','item':'1','outcome':'CRASHED','instance':'a@1@2','error':'died at %1$s'}]}"
                                .formatted(TIME))
                .answer(
                        "/history/events",
                        "{'events':[{'at':'%1$s','kind':'TAKEN_OVER','job':'settle','item':'1','instance':'a@1@2','detail':'after %1$s'}]}"
                                .formatted(TIME))
                .answer(
                        "/history/audit",
                        "{'steps':[{'at':'%1$s','requestId':'r','operation':'PAUSE','target':'settle','actor':'bob','role':'ADMIN','origin':'127.0.0.1','reason':'until %1$s','detail':'job=settle, until=%1$s','outcome':'APPLIED: paused until %1$s'}]}"
                                .formatted(TIME))
                .answer(
                        "/history/jobs/settle/runs",
                        "{'runs':[{'runId':'settle@%1$s','fireTime':'%1$s','firstStart':'%1$s','lastEnd':'%1$s','triggered':false,'shardingTotalCount':2,'claims':1,'outcomes':{'CRASHED':1}}]}"
                                .formatted(TIME))
                .answer(
                        "/history/jobs/settle/runs/settle%40" + TIME.replace(":", "%3A"),
                        "{'claims':[{'item':'1','instance':'a@1@2','fencingToken':7,'attempt':1,'attempts':1,'fireTime':'%1$s','runNumber':1,'outcome':'CRASHED','error':'died at %1$s','claimedAt':'%1$s','startedAt':'%1$s','endedAt':'%1$s','shardingTotalCount':2}]}"
                                .formatted(TIME))
                .answer(
                        "/history/jobs/settle/skipped",
                        "{'skipped':[{'item':'1','from':'%1$s','to':'%1$s','count':1,'reason':'MISFIRED','at':'%1$s','instance':'a@1@2'}]}"
                                .formatted(TIME))
                .answer(
                        "/history/jobs/settle/account",
                        "{'entries':[{'item':'1','state':'SKIPPED','from':'%1$s','to':'%1$s','count':1,'reason':'MISFIRED'}]}"
                                .formatted(TIME))
                .answer("/jobs/settle/pause", "{'effects':['paused job until " + TIME + "']}")
                .answer(
                        "/jobs/settle/resume",
                        "{'effects':['resumed job','4 missed fires of each of 2 items so far'],'text':'resumed job'}")
                .answer(
                        "/jobs/settle/release-item",
                        "{'effects':['released item 1; the safe choice is to disable it']}")
                .answer("/jobs/settle/trigger", "{'effects':['triggers 2 items']}")
                .answer("/jobs/settle/remove", "{'effects':['removes the job']}")
                .answer("/evict-instance", "{'effects':['ends the session of a@1@2'],'text':'evicts a@1@2'}");
    }

    /** Returns the forecast of a day in which each job fires four times an hour. */
    static String forecast(List<String> jobs) {
        StringBuilder slots = new StringBuilder();
        for (int slot = 0; slot < 96; slot++) {
            StringBuilder fires = new StringBuilder();
            for (String job : jobs) {
                fires.append(fires.length() == 0 ? "" : ",")
                        .append("'")
                        .append(job)
                        .append("':1");
            }
            slots.append(slot == 0 ? "" : ",")
                    .append("{'start':'")
                    .append(java.time.Instant.parse("2026-01-31T00:00:00Z").plusSeconds(900L * slot))
                    .append("','fires':{")
                    .append(fires)
                    .append("},'clockChanges':[]}");
        }
        return "{'slots':[" + slots + "],'unpredictable':[]}";
    }

    private void page(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String file = path.equals("/") ? "/index.html" : path;
        try (exchange;
                InputStream in = FakeConsole.class.getResourceAsStream("/io/ostraka/console/web" + file)) {
            if (in == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] bytes = file.equals("/index.html")
                    ? new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .replace("{root}", "")
                            .getBytes(StandardCharsets.UTF_8)
                    : in.readAllBytes();
            String type = file.endsWith(".mjs")
                    ? "text/javascript"
                    : file.endsWith(".css") ? "text/css" : file.endsWith(".svg") ? "image/svg+xml" : "text/html";
            exchange.getResponseHeaders().set("Content-Type", type + ";charset=utf-8");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        URI uri = exchange.getRequestURI();
        String path = uri.getRawPath();
        if (path.equals(NAMESPACE + "/events")) {
            stream(exchange);
            return;
        }
        try (exchange) {
            String below = path.startsWith(NAMESPACE) ? path.substring(NAMESPACE.length()) : path;
            if (exchange.getRequestMethod().equals("GET")) {
                reads.add(below);
            } else {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                commands.add(below + (uri.getQuery() == null ? "" : "?" + uri.getQuery()) + " " + body);
            }
            String answer = answers.get(path);
            byte[] bytes = (answer == null ? "{\"detail\":\"no answer is prepared for " + below + "\"}" : answer)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.getResponseHeaders().set("ETag", "\"1\"");
            exchange.sendResponseHeaders(answer == null ? 404 : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Greets a new stream, and continues a stream that names its last event; keeps both open. */
    private void stream(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        streams.add(query);
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        boolean continued = query.contains("lastEventId=e-1");
        exchange.getResponseBody()
                .write((continued ? ": continued\n\n" : "id: e-1\nevent: hello\ndata: {}\n\n")
                        .getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
