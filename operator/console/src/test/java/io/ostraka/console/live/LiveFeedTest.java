package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.EventRequest;
import io.ostraka.console.Namespaces;
import io.ostraka.console.Problem;
import io.ostraka.console.live.Frames.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the live events of one namespace in virtual time. */
class LiveFeedTest {
    private static final Duration POLL = Duration.ofSeconds(2);
    private static final Duration SLOW_POLL = Duration.ofSeconds(5);
    private static final TestCaller ALL = TestCaller.ofAllJobs("ann");

    private final VirtualTimer timer = new VirtualTimer();
    private final FakeNamespace namespace = new FakeNamespace(timer);
    private final SharedViews views = new SharedViews(namespace, timer);
    private final LiveFeeds feeds = new LiveFeeds(
            name -> name.equals("prod") ? Optional.of(views) : Optional.empty(), timer, timer, timer, () -> "e");
    private final Api api = new Api(
            new Namespaces() {
                @Override
                public List<String> names() {
                    return List.of("prod");
                }

                @Override
                public Optional<Operations> operations(String name) {
                    return name.equals("prod") ? Optional.of(views) : Optional.empty();
                }
            },
            false);

    private LiveClient client(TestCaller caller, String... jobs) {
        return new LiveClient(api, feeds, caller, jobs);
    }

    private LiveClient connected(TestCaller caller, String... jobs) {
        LiveClient client = client(caller, jobs).connect();
        timer.settle();
        return client.drain();
    }

    private void poll() {
        timer.advance(POLL);
    }

    @Test
    void feedWithoutSubscribersReadsNothing() {
        namespace.add("a", 1);
        timer.advance(Duration.ofMinutes(5));
        assertThat(namespace.reads).isZero();

        LiveClient client = connected(ALL, "a");
        timer.advance(Duration.ofMinutes(5));
        client.disconnect();
        int reads = namespace.reads;
        assertThat(reads).isPositive();

        timer.advance(Duration.ofHours(1));
        assertThat(namespace.reads).isEqualTo(reads);
        assertThat(timer.waiting()).isZero();
    }

    @Test
    void tenSubscribersCostTheReadsOfOne() {
        namespace.add("a", 3);
        LiveClient one = connected(ALL, "a");
        timer.advance(Duration.ofMinutes(1));
        int readsOfOne = namespace.reads;
        one.disconnect();
        namespace.reads = 0;
        timer.advance(Duration.ofMinutes(2)); // the feed forgets

        for (int i = 0; i < 10; i++) {
            connected(TestCaller.ofAllJobs("user-" + i), "a");
        }
        timer.advance(Duration.ofMinutes(1));
        assertThat(namespace.reads).isEqualTo(readsOfOne);
    }

    @Test
    void helloComesFirstAndOnlyAfterAllViewsWereRead() {
        namespace.add("a", 1);
        LiveClient client = client(ALL, "a").connect();
        assertThat(client.drain().received).isEmpty();
        assertThat(client.frames().retry()).isEqualTo("3000");

        timer.settle();
        client.drain();
        assertThat(client.types()).containsExactly("hello");
        assertThat(client.received.get(0).id()).startsWith("e-");
        assertThat(client.copy()).containsKeys("jobs", "namespace", "items a", "activity");
    }

    @Test
    void changeBetweenHelloAndTheListsIsNotLost() {
        namespace.add("a", 1);
        LiveClient client = client(ALL).connect();
        timer.settle();
        client.patient = true;
        client.drain();
        namespace.jobs.put("a", 7);
        client.readLists();
        poll();
        client.drain();
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void viewThatIsReadAfterAnEventIsNotOlderThanTheEvent() {
        namespace.add("a", 1);
        namespace.add("b", 1);
        LiveClient client = connected(ALL);
        timer.advance(Duration.ofMillis(1_900));
        views.activity(List.of("a", "b")); // no view of the feed
        namespace.jobs.put("a", 1);
        namespace.items.get("a").put("0", 9);
        timer.advance(Duration.ofMillis(100));
        assertThat(client.drain().types()).containsExactly("hello", "job");
        assertThat(views.activity(List.of("a", "b")).get(0).failuresInARow()).isEqualTo(9);
    }

    @Test
    void viewThatIsReadAfterHelloIsNotOlderThanHello() {
        namespace.add("a", 1);
        namespace.add("b", 1);
        views.activity(List.of("a", "b")); // no view of the feed
        namespace.items.get("a").put("0", 9);
        assertThat(connected(ALL).types()).containsExactly("hello");
        assertThat(views.activity(List.of("a", "b")).get(0).failuresInARow()).isEqualTo(9);
    }

    @Test
    void changesAreSentOnceAndOnlyWhenTheyDiffer() {
        namespace.add("a", 2);
        namespace.add("b", 2);
        LiveClient client = connected(ALL);
        timer.advance(Duration.ofMinutes(1));
        client.drain();
        assertThat(client.types()).containsExactly("hello");

        namespace.jobs.put("b", 1);
        poll();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "job");
        assertThat(client.received.get(1).data()).contains("\"job\":\"b\"", "\"triggers\":1", "\"at\":");
    }

    @Test
    void everyKindOfChangeHasItsEvent() {
        namespace.add("a", 2);
        namespace.instances.put("i", Map.of("a", 1));
        namespace.alarms.put("1", "a");
        LiveClient client = connected(ALL, "a");

        namespace.add("b", 1);
        namespace.items.get("a").put("0", 1);
        namespace.items.get("a").remove("1");
        namespace.alarms.put("2", "");
        namespace.alarms.remove("1");
        namespace.instances.put("j", Map.of("a", 1));
        namespace.instances.remove("i");
        timer.advance(SLOW_POLL);
        client.drain();
        assertThat(client.types())
                .contains(
                        "job",
                        "items",
                        "activity",
                        "alarm",
                        "alarm-removed",
                        "instance",
                        "instance-removed",
                        "namespace");
        assertThat(client.copy()).isEqualTo(client.read());

        namespace.remove("b");
        timer.advance(SLOW_POLL);
        client.drain();
        assertThat(client.types()).contains("job-removed");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void itemsComeOnlyForFollowedJobs() {
        namespace.add("a", 2);
        namespace.add("b", 2);
        LiveClient ofA = connected(ALL, "a");
        LiveClient ofB = connected(TestCaller.ofAllJobs("bob"), "b");
        namespace.items.get("a").put("1", 5);
        poll();
        assertThat(ofA.drain().types()).containsExactly("hello", "items", "activity");
        assertThat(ofB.drain().types()).containsExactly("hello");
        String changed = ofA.received.get(1).data();
        assertThat(changed).contains("\"item\":\"1\"").doesNotContain("\"item\":\"0\"");
    }

    @Test
    void manyChangedItemsAreNotListed() {
        namespace.add("a", LiveEvent.Items.MOST + 1);
        LiveClient client = connected(ALL, "a");
        namespace.items.get("a").replaceAll((item, failures) -> 1);
        poll();
        client.drain();
        assertThat(client.received.stream().filter(each -> each.type().equals("items")))
                .extracting(Received::data)
                .containsExactly("{\"job\":\"a\",\"many\":true}");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void instanceThatHasGoneMakesAllViewsDue() {
        namespace.add("a", 2);
        namespace.instances.put("i", Map.of("a", 2));
        LiveClient client = connected(ALL, "a");
        namespace.instances.remove("i");
        namespace.items.get("a").put("0", 1);
        timer.advance(Duration.ofSeconds(1));
        assertThat(client.drain().types())
                .containsExactlyInAnyOrder("hello", "instance-removed", "namespace", "items", "activity");
        assertThat(client.copy()).isEqualTo(client.read());

        int reads = namespace.reads;
        timer.advance(Duration.ofSeconds(1));
        assertThat(namespace.reads)
                .as("jobs and instances, and the views that were due")
                .isLessThanOrEqualTo(reads + 6);
    }

    @Test
    void messagesAreBoundedByTheJobsOnTheScreen() {
        int polls = 30;
        for (int i = 0; i < 1_000; i++) {
            namespace.add("job-" + i, 1);
        }
        LiveClient filtered = client(ALL, "job-0").showing("job-1", "job-2", "job-3", "job-4", "unknown");
        filtered.connect();
        timer.settle();
        filtered.drain();
        LiveClient all = connected(TestCaller.ofAllJobs("bob"));
        for (int poll = 1; poll <= polls; poll++) {
            int fires = poll;
            namespace.jobs.replaceAll((job, triggers) -> fires);
            poll();
            filtered.drain();
            all.drain();
        }
        assertThat(filtered.types()).hasSize(1 + polls * 5).startsWith("hello").doesNotContain("reset");
        assertThat(filtered.received.subList(1, 1 + polls * 5))
                .allMatch(each -> each.type().equals("job"));
        assertThat(filtered.copy()).isEqualTo(filtered.read());
        assertThat(all.types().stream().filter("reset"::equals)).hasSize(polls);
    }

    @Test
    void clientWithAFilterGetsAlarmsOfItsJobsAndOfTheNamespace() {
        namespace.add("a", 1);
        namespace.add("b", 1);
        LiveClient client = client(ALL).showing("a").connect();
        timer.settle();
        client.drain();
        namespace.alarms.putAll(Map.of("1", "a", "2", "b", "3", ""));
        namespace.remove("b");
        poll();
        client.drain();
        assertThat(client.types()).containsExactlyInAnyOrder("hello", "alarm", "alarm", "namespace");
        assertThat(client.received.toString()).doesNotContain("\"b\"");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void jobWithManyItemsIsReadLessOften() {
        namespace.add("a", 3_000);
        AtomicInteger itemReads = new AtomicInteger();
        connected(ALL, "a");
        namespace.beforeRead = itemReads::incrementAndGet;
        timer.advance(Duration.ofSeconds(7)); // jobs, instances: 7 times; alarms, namespace, activity: 3; items: 0
        assertThat(itemReads).hasValue(23);
    }

    @Test
    void clientThatConnectsAgainGetsWhatItMissed() {
        namespace.add("a", 1);
        namespace.add("b", 1);
        LiveClient keeper = connected(TestCaller.ofAllJobs("keeper"));
        LiveClient client = connected(ALL, "a");
        client.disconnect();
        namespace.jobs.put("a", 1);
        poll();
        namespace.jobs.put("a", 2);
        namespace.jobs.put("b", 1);
        poll();
        client.connect().drain();
        assertThat(client.types()).containsExactly("hello", "job", "job");
        assertThat(client.copy().get("jobs")).isEqualTo(client.read().get("jobs"));
        keeper.disconnect();
    }

    @Test
    void clientThatShowsOtherJobsGetsTheirEventsSinceItReadTheList() {
        namespace.add("a", 1);
        namespace.add("b", 1);
        LiveClient client = client(ALL).showing("a").connect();
        timer.settle();
        client.drain();
        String before = client.frames().lastId();
        namespace.jobs.put("b", 1);
        poll();
        client.drain();
        client.disconnect();
        client.showing("b").connect(before).drain();
        assertThat(client.types()).containsExactly("hello", "job");
    }

    @Test
    void clientThatReturnsToAnIdleFeedGetsWhatItMissed() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL, "a");
        client.disconnect();
        namespace.items.get("a").put("0", 3);
        timer.advance(KnownViews.MEMORY);
        client.connect();
        timer.settle();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "items", "activity");
    }

    @Test
    void clientThatReturnsTooLateReadsTheListsAgain() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL, "a");
        client.disconnect();
        namespace.jobs.put("a", 3);
        timer.advance(KnownViews.MEMORY.plusMillis(1));
        client.connect();
        timer.settle();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "reset");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void jobThatNoClientHasFollowedForAWhileCannotBeContinued() {
        namespace.add("a", 1);
        connected(TestCaller.ofAllJobs("keeper"));
        LiveClient client = connected(ALL, "a");
        client.disconnect();
        namespace.items.get("a").put("0", 3);
        timer.advance(KnownViews.MEMORY.plus(POLL));
        client.connect();
        timer.settle();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "reset");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void jobThatWasForgottenAndReadAgainCannotBeContinued() {
        namespace.add("a", 1);
        LiveClient keeper = connected(TestCaller.ofAllJobs("keeper"));
        keeper.subscription().onReady(keeper::drain);
        LiveClient client = connected(ALL, "a");
        client.disconnect();
        namespace.items.get("a").put("0", 3);
        timer.advance(KnownViews.MEMORY.plus(POLL));
        connected(TestCaller.ofAllJobs("bob"), "a");
        client.connect();
        timer.settle();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "reset");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void clientThatMissedTooManyEventsReadsTheListsAgain() {
        namespace.add("a", 1);
        LiveClient keeper = connected(TestCaller.ofAllJobs("keeper"));
        keeper.subscription().onReady(keeper::drain);
        LiveClient client = connected(ALL);
        client.disconnect();
        for (int i = 1; i <= EventLog.MOST_EVENTS; i++) {
            namespace.jobs.put("a", i);
            poll();
        }
        assertThat(client.connect().drain().types()).containsExactly("hello", "job");

        client.disconnect();
        for (int i = 0; i <= EventLog.MOST_EVENTS; i++) {
            namespace.jobs.put("a", -i);
            poll();
        }
        assertThat(client.connect().drain().types()).containsExactly("hello", "job", "reset");
    }

    @Test
    void idsThatTheFeedHasNotGivenLeadToReset() {
        connected(ALL);
        for (String id :
                List.of("f-1", "e-999999", "e--1", "nonsense", "e-1\u0000", "e-" + "9".repeat(400), "'; drop table")) {
            LiveClient client = client(TestCaller.ofAllJobs(id)).connect(id);
            timer.settle();
            assertThat(client.drain().types()).containsExactly("reset");
        }
    }

    @Test
    void slowReaderGetsResetAndNoOldEvents() {
        for (int i = 0; i < Subscriber.MOST_EVENTS + 1; i++) {
            namespace.add("job-" + i, 1);
        }
        LiveClient client = connected(ALL);
        namespace.jobs.replaceAll((job, triggers) -> 1);
        poll();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "reset");
        assertThat(client.copy()).isEqualTo(client.read());

        namespace.jobs.put("job-1", 2);
        poll();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "reset", "job");
    }

    @Test
    void waitingEventsOfAJobAreReplacedByItsLatest() {
        namespace.add("a", 3);
        LiveClient client = connected(ALL, "a");
        for (int i = 1; i <= 5; i++) {
            namespace.jobs.put("a", i);
            namespace.items.get("a").put(String.valueOf(i % 3), i);
            poll();
        }
        client.drain();
        assertThat(client.types()).containsExactlyInAnyOrder("hello", "job", "items", "activity");
        assertThat(client.copy()).isEqualTo(client.read());
        List<Long> numbers = client.received.stream()
                .map(each -> Long.parseLong(each.id().substring(2)))
                .toList();
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void callerSeesOnlyItsJobs() {
        namespace.add("a", 1);
        namespace.add("b", 1);
        namespace.instances.put("i", Map.of("a", 1, "b", 1));
        LiveClient client = connected(TestCaller.of("bob", "a"), "a", "b");
        LiveClient all = connected(ALL);
        namespace.jobs.replaceAll((job, triggers) -> 1);
        namespace.items.get("b").put("0", 1);
        namespace.alarms.putAll(Map.of("1", "a", "2", "b", "3", ""));
        namespace.instances.put("i", Map.of("a", 1, "b", 2));
        timer.advance(SLOW_POLL);
        client.drain();
        all.drain();
        assertThat(client.types()).containsExactly("hello", "job", "alarm");
        assertThat(client.received.toString()).doesNotContain("\"b\"");
        assertThat(all.types()).contains("instance").filteredOn("alarm"::equals).hasSize(3);
        assertThat(client.copy()).isEqualTo(client.read());

        namespace.instances.put("i", Map.of("a", 2, "b", 3));
        timer.advance(SLOW_POLL);
        client.drain();
        assertThat(client.types()).endsWith("instance");
        assertThat(client.received.toString()).doesNotContain("\"b\"");
    }

    @Test
    void jobThatNoFollowerMaySeeIsNotRead() {
        namespace.add("a", 1);
        client(TestCaller.of("bob"), "a").connect();
        timer.settle();
        assertThat(namespace.reads).isEqualTo(4);
    }

    @Test
    void grantsAreCheckedAgainWhenAnEventIsSent() {
        namespace.add("a", 1);
        TestCaller caller = TestCaller.of("bob", "a");
        LiveClient client = connected(caller, "a");
        namespace.jobs.put("a", 1);
        poll();
        caller.revoke("a");
        assertThat(client.drain().types()).containsExactly("hello");
        namespace.jobs.put("a", 2);
        poll();
        assertThat(client.drain().types()).containsExactly("hello");
    }

    @Test
    void streamEndsWithTheSession() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL, "a");
        AtomicInteger signals = new AtomicInteger();
        client.subscription().onReady(signals::incrementAndGet);
        int before = signals.get();
        client.valid = () -> false;
        namespace.jobs.put("a", 1);
        timer.advance(Duration.ofSeconds(15));
        assertThat(client.subscription().ended()).isTrue();
        assertThat(client.subscription().poll()).isNull();
        assertThat(signals.get()).isGreaterThan(before);
        assertThat(client.drain().types()).containsExactly("hello");
        assertThat(timer.waiting()).isZero();
    }

    @Test
    void streamEndsWhenTheCallerMayNoLongerSeeTheNamespace() {
        TestCaller caller = TestCaller.ofAllJobs("bob");
        LiveClient client = connected(caller);
        caller.seesNamespace = false;
        timer.advance(Duration.ofSeconds(15));
        assertThat(client.subscription().ended()).isTrue();
    }

    @Test
    void callerWhoseSessionCannotBeCheckedGetsNothing() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL);
        LiveClient other = connected(TestCaller.ofAllJobs("other"));
        client.valid = () -> {
            throw new IllegalStateException("the store of sessions is broken");
        };
        namespace.jobs.put("a", 1);
        poll();
        assertThat(client.subscription().poll()).isNull();
        assertThat(client.subscription().ended()).isTrue();
        assertThat(other.drain().types()).containsExactly("hello", "job");
    }

    @Test
    void outageIsShownOnceInWordsAndItsEndToo() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL, "a");
        namespace.down = true;
        timer.advance(Duration.ofSeconds(40));
        client.drain();
        assertThat(client.types()).containsExactly("hello", "unavailable");
        assertThat(client.received.get(1).data()).contains("no answer from ZooKeeper");

        namespace.down = false;
        namespace.jobs.put("a", 1);
        poll();
        client.drain();
        assertThat(client.types()).containsExactlyInAnyOrder("hello", "unavailable", "job", "available");
    }

    @Test
    void outageShowsItsLatestCause() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL, "a");
        namespace.down = true;
        namespace.trouble = "the servers refuse the connection";
        poll();
        client.drain();
        namespace.trouble = "the servers have no quorum";
        poll();
        poll();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "unavailable", "unavailable");
        assertThat(client.received.get(1).data()).contains("refuse the connection");
        assertThat(client.received.get(2).data()).contains("no quorum");

        LiveClient later = connected(TestCaller.ofAllJobs("bob"));
        assertThat(later.types()).containsExactly("hello", "unavailable");
        assertThat(later.received.get(1).data()).contains("no quorum");

        namespace.down = false;
        poll();
        assertThat(client.drain().types()).endsWith("unavailable", "available");
        assertThat(later.drain().types()).endsWith("unavailable", "available");
    }

    @Test
    void clientThatWaitsForItsGreetingLearnsTheLatestCause() {
        namespace.add("a", 1);
        namespace.down = true;
        LiveClient client = connected(ALL, "a");
        namespace.trouble = "the servers have no quorum";
        poll();
        client.drain();
        assertThat(client.types()).containsExactly("unavailable", "unavailable");
        assertThat(client.received.get(1).data()).contains("no quorum");
        assertThat(client.received.get(1).id()).isEmpty();
    }

    @Test
    void clientThatConnectsDuringAnOutageIsGreetedAfterIt() {
        namespace.add("a", 1);
        namespace.down = true;
        LiveClient client = connected(ALL, "a");
        assertThat(client.types()).containsExactly("unavailable");
        assertThat(client.received.get(0).id()).isEmpty();
        LiveClient second = connected(TestCaller.ofAllJobs("bob"));
        assertThat(second.types()).containsExactly("unavailable");

        namespace.down = false;
        poll();
        assertThat(client.drain().types()).startsWith("unavailable", "hello").endsWith("available");
        assertThat(second.drain().types()).startsWith("unavailable", "hello").endsWith("available");
        assertThat(client.copy()).isEqualTo(client.read());
    }

    @Test
    void clientThatConnectsToAKnownNamespaceDuringAnOutageLearnsOfIt() {
        namespace.add("a", 1);
        connected(ALL);
        namespace.down = true;
        poll();
        LiveClient client = connected(TestCaller.ofAllJobs("bob"));
        assertThat(client.types()).containsExactly("hello", "unavailable");
    }

    @Test
    void heartbeatComesEvery15Seconds() {
        LiveClient client = connected(ALL);
        for (int i = 1; i <= 4; i++) {
            timer.advance(Duration.ofSeconds(15));
            client.drain();
            assertThat(client.frames().comments()).isEqualTo(i);
        }
        assertThat(client.types()).containsExactly("hello");
    }

    @Test
    void readerThatTakesNothingIsDisconnected() {
        LiveClient client = connected(ALL);
        LiveClient reader = connected(TestCaller.ofAllJobs("reader"));
        reader.subscription().onReady(reader::drain);
        timer.advance(Duration.ofSeconds(74));
        assertThat(client.subscription().ended()).isFalse();
        timer.advance(Duration.ofSeconds(2));
        assertThat(client.subscription().ended()).isTrue();
        assertThat(reader.subscription().ended()).isFalse();
    }

    @Test
    void listenerIsCalledWhenThereIsSomethingToRead() {
        namespace.add("a", 1);
        LiveClient client = connected(ALL);
        client.subscription().onReady(client::drain);
        namespace.jobs.put("a", 1);
        poll();
        assertThat(client.types()).containsExactly("hello", "job");
    }

    @Test
    void listenerThatFailsEndsOnlyItsOwnStream() {
        namespace.add("a", 1);
        LiveClient broken = connected(ALL);
        LiveClient other = connected(TestCaller.ofAllJobs("other"));
        AtomicInteger calls = new AtomicInteger();
        broken.subscription().onReady(() -> {
            if (calls.incrementAndGet() > 1) {
                throw new IllegalStateException("the connection is gone");
            }
        });
        namespace.jobs.put("a", 1);
        poll();
        assertThat(broken.subscription().ended()).isTrue();
        assertThat(other.drain().types()).containsExactly("hello", "job");
    }

    @Test
    void callerMayHaveTenStreams() {
        List<LiveClient> clients = new ArrayList<>();
        for (int i = 0; i < LiveFeeds.MOST_OF_CALLER; i++) {
            clients.add(connected(ALL));
        }
        assertThatThrownBy(() -> connected(ALL))
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.code()).isEqualTo(Problem.Code.TOO_MANY_REQUESTS))
                .hasMessage("'ann' already has 10 streams of events, which is the limit; close other pages");
        connected(TestCaller.ofAllJobs("bob"));

        clients.get(3).disconnect();
        clients.get(3).disconnect();
        connected(ALL);
        assertThatThrownBy(() -> connected(ALL)).isInstanceOf(Problem.class);
    }

    @Test
    void consoleHasAtMost200Streams() {
        for (int i = 0; i < LiveFeeds.MOST_STREAMS; i++) {
            client(TestCaller.ofAllJobs("user-" + i)).connect();
        }
        assertThatThrownBy(() -> client(ALL).connect())
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.code()).isEqualTo(Problem.Code.TOO_MANY_REQUESTS))
                .hasMessageContaining("200 streams");
    }

    @Test
    void unknownAndHiddenNamespacesLookTheSame() {
        TestCaller blind = TestCaller.ofAllJobs("blind");
        blind.seesNamespace = false;
        String hidden = messageOf(() -> client(blind).connect());
        String unknown =
                messageOf(() -> feeds.subscribe(new EventRequest("other", List.of(), Set.of(), null), ALL, () -> true));
        assertThat(hidden.replace("prod", "x")).isEqualTo(unknown.replace("other", "x"));
    }

    private static String messageOf(Runnable call) {
        try {
            call.run();
        } catch (Problem problem) {
            assertThat(problem.code()).isEqualTo(Problem.Code.NOT_FOUND);
            return String.valueOf(problem.getMessage());
        }
        throw new AssertionError("not refused");
    }

    @Test
    void closedFeedsEndAllStreamsAndAcceptNoMore() {
        LiveClient client = connected(ALL);
        feeds.close();
        assertThat(client.subscription().ended()).isTrue();
        assertThat(timer.waiting()).isZero();
        assertThatThrownBy(() -> client(ALL).connect())
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.code()).isEqualTo(Problem.Code.UNAVAILABLE));
    }

    @Test
    void commandIsVisibleAtOnce() {
        LiveClient client = connected(ALL);
        views.execute(new Command.Freeze(null), CommandOptions.by("ann"));
        timer.settle();
        client.drain();
        assertThat(client.types()).containsExactly("hello", "namespace");
        assertThat(JsonParser.parseString(client.received.get(1).data())
                        .getAsJsonObject()
                        .has("frozen"))
                .isTrue();
    }
}
