package io.ostraka.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the checks of a plan that the leader computed shortly before an instance in its view ended. */
class EarlierViewTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    private final State state = new State();
    private final List<String> reports = new ArrayList<>();
    private long zxid;

    @BeforeEach
    void elect() {
        apply(0, new Write.Created("/leader/latch/latch-0000000001", "a@1@1", true));
        apply(0, new Write.Created("/leader/epoch", "latch-0000000001 1", false));
        register("a", "WORKING");
        register("b", "WORKING");
        register("c", "WORKING");
    }

    private void apply(int seconds, Write write) {
        state.take(transaction(seconds, write), List.of());
    }

    private Event.Transaction transaction(int seconds, Write write) {
        return new Event.Transaction(++zxid, AT.plusSeconds(seconds), 1, false, List.of(write));
    }

    private static String path(String host) {
        return "/instances/" + host + "@1@" + Integer.toHexString(host.charAt(0) - 'a' + 1);
    }

    private void register(String host, String status) {
        String jobs = status.equals("WORKING") ? "'job'" : "";
        String data = "{'self':{'id':'" + State.name(path(host)) + "','host':'" + host
                + "','zone':'z','tags':{}},'state':'" + status + "','jobs':[" + jobs
                + "],'earlierIds':[],'clockAhead':false}";
        apply(0, new Write.Created(path(host), json(data), true));
    }

    private void end(int seconds, String host) {
        apply(seconds, new Write.Deleted(path(host)));
    }

    private void define(String constraints) {
        apply(
                0,
                new Write.Created(
                        "/jobs/job/config", json("{'shardingStrategy':'STICKY_BALANCED'," + constraints + "}"), false));
    }

    private void plan(String fields) {
        apply(0, planned(fields));
    }

    private static Write planned(String fields) {
        return new Write.Changed(
                "/jobs/job/sharding",
                json("{'total':4,'incarnation':1,'configMzxid':1,'overrideMzxid':0,'schedule':{'type':'onDemand'},"
                        + "'anchor':'" + AT + "'," + fields + "}"));
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    /** Returns the violations that a check finds in the next plan. */
    private List<String> next(Invariant check, int seconds, String fields) {
        check.reportTo((what, item) -> reports.add(what.replaceAll(": \\{.*", "")));
        check.transaction(transaction(seconds, planned(fields)), state);
        return reports;
    }

    private static String items(String a, String b, String c) {
        return "'items':{'a@1@1':'" + a + "','b@1@2':'" + b + "','c@1@3':'" + c + "'}";
    }

    @Test
    void acceptsMoveToPreferredInstanceThatHasJustEnded() {
        define("'preferredInstances':'host=c','maxItemsPerInstance':3");
        plan(items("0-1", "2-3", ""));
        end(20, "c");

        assertThat(next(new SoundPlans(), 20, items("", "3", "0-2"))).isEmpty();
    }

    @Test
    void findsMoveToInstanceThatHasJustEndedAndIsNotPreferred() {
        define("'preferredInstances':'host=a','maxItemsPerInstance':3");
        plan(items("0-1", "2-3", ""));
        end(20, "c");

        assertThat(next(new SoundPlans(), 20, items("", "3", "0-2")))
                .containsExactly("expected: item 2 of job job stays");
    }

    @Test
    void acceptsMoveAfterTheHostReturnedAndHasJustEndedAgain() {
        define("'preferredInstances':'host=a','restartGrace':'PT60S'");
        plan(items("0-1", "", "") + ",'grounds':{'awaited':{'c " + AT.plusSeconds(60) + "':'2-3'}}");
        end(20, "c");

        assertThat(next(new PlacementKept(), 20, items("0-3", "", ""))).isEmpty();
    }

    @Test
    void findsMoveBeforeTheHostReturned() {
        define("'preferredInstances':'host=a','restartGrace':'PT60S'");
        plan(items("0-1", "", "") + ",'grounds':{'awaited':{'d " + AT.plusSeconds(60) + "':'2-3'}}");
        register("d", "DRAINING");
        end(20, "d");
        end(20, "c");

        assertThat(next(new PlacementKept(), 20, items("0-3", "", "")))
                .containsOnly("expected: an item waits for d until the end of its grace");
    }

    @Test
    void findsMoveLongAfterTheHostEndedAgain() {
        define("'preferredInstances':'host=a','restartGrace':'PT600S'");
        plan(items("0-1", "", "") + ",'grounds':{'awaited':{'c " + AT.plusSeconds(600) + "':'2-3'}}");
        end(20, "c");

        assertThat(next(new PlacementKept(), 60, items("0-3", "", "")))
                .containsOnly("expected: an item waits for c until the end of its grace");
    }
}
