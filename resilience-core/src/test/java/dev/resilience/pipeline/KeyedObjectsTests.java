package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.pipeline.KeyedObjects.Held;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects by key: which of them stay, and that a key has one that is held. */
class KeyedObjectsTests {

    private final Set<String> busy = ConcurrentHashMap.newKeySet();
    private final Set<String> pinned = new HashSet<>();
    private final List<String> gone = new ArrayList<>();
    private int max = 3;
    private int looks;
    private final KeyedObjects<String> objects =
            new KeyedObjects<>(() -> max, key -> "of " + key, this::isBusy, pinned::contains, gone::add);

    private boolean isBusy(String object) {
        looks++;
        return busy.contains(object);
    }

    private static <L> L get(KeyedObjects<L> objects, @Nullable String key) {
        Held<L> held = objects.hold(key);
        held.release();
        return held.live();
    }

    private void use(String... keys) {
        for (String key : keys) {
            assertThat(get(objects, key)).isEqualTo("of " + key);
        }
    }

    private Set<String> kept() {
        return objects.some(1_000_000, object -> false, object -> object).keySet();
    }

    @Test
    void thoseGoThatHaveNotBeenUsedForLong() {
        use("a", "b", "c", "d");
        assertThat(gone).containsExactly("of a");

        use("b", "e");
        assertThat(kept()).containsExactlyInAnyOrder("b", "d", "e");
    }

    @Test
    void oneInUseGoesAfterAllOthers() {
        use("a", "b", "c");
        busy.addAll(Set.of("of a", "of b"));
        use("d", "e", "f", "g");

        assertThat(kept()).containsExactlyInAnyOrder("a", "b", "g");
        busy.remove("of a");
        use("h", "i", "j");
        assertThat(kept()).contains("b").doesNotContain("a").hasSize(3);
    }

    @Test
    void ifAllAreInUseTheOneGoesThatHasBeenForLongest() {
        busy.addAll(Set.of("of a", "of b", "of c", "of d"));
        use("a", "b", "c", "d");

        assertThat(gone).containsExactly("of a");
    }

    @Test
    void whatACallHoldsStaysAndIsTheKeysOnlyOne() {
        max = 1;
        Held<String> held = objects.hold("a");
        use("b", "c");
        assertThat(objects.hold("a")).isSameAs(held);
        assertThat(objects.size()).isEqualTo(2);

        held.release();
        use("d");
        assertThat(kept()).contains("a");
        held.release();
        use("e", "f");
        assertThat(kept()).hasSize(1).doesNotContain("a");
    }

    @Test
    void aLowerLimitHoldsFromTheNextNewKeyOn() {
        use("a", "b", "c");
        max = 1;
        use("d");

        assertThat(kept()).containsExactly("d");
        assertThat(gone).containsExactlyInAnyOrder("of a", "of b", "of c");
    }

    @Test
    void noKeyIsTheEmptyKeyAndALongOneIsShortened() {
        assertThat(get(objects, null)).isSameAs(get(objects, ""));
        String text = "x".repeat(300);
        assertThat(get(objects, text)).isSameAs(get(objects, "x".repeat(300))).isSameAs(objects.find(text));
        assertThat(get(objects, text)).isNotEqualTo(get(objects, text + "y"));
        assertThat(kept()).allMatch(key -> key.length() <= KeyedObjects.MAX_LENGTH);
    }

    @Test
    void theFirstShownAreThoseThatAreWanted() {
        use("a", "b", "c");
        assertThat(objects.some(2, "of c"::equals, object -> object).keySet())
                .hasSize(2)
                .startsWith("c");
        assertThat(objects.count("of c"::equals)).isEqualTo(1);
    }

    @Test
    void oneThatWasJustUsedStaysHoweverOldItIs() {
        max = 100;
        use("hot");
        for (int i = 0; i < 99; i++) {
            use("k" + i);
        }
        for (int i = 0; i < 1_000; i++) {
            use("hot", "new" + i);
            assertThat(objects.find("hot")).isNotNull();
        }
        use("k98", "hot");
        assertThat(objects.size()).isEqualTo(100);
    }

    @Test
    void oneThatStaysGoesForNoneThatComes() {
        busy.addAll(Set.of("of a", "of b", "of c", "of d", "of e", "of f"));
        pinned.add("of a");
        use("a", "b", "c", "d", "e", "f");
        assertThat(kept()).contains("a", "f").hasSizeLessThanOrEqualTo(4);
        use("g", "h", "i");
        assertThat(kept()).contains("a").hasSizeLessThanOrEqualTo(4);

        objects.clear();
        assertThat(kept()).isEmpty();
    }

    @Test
    void aLowerLimitIsReachedLittleByLittle() {
        max = 1_000;
        for (int i = 0; i < 1_000; i++) {
            use("k" + i);
        }
        max = 10;
        looks = 0;
        use("new");
        assertThat(objects.size()).isEqualTo(993);
        assertThat(looks).isLessThanOrEqualTo(64);
        for (int i = 0; i < 200; i++) {
            use("new" + i);
        }
        assertThat(objects.size()).isEqualTo(10);
    }

    @Test
    void longKeysWithEqualHashesDiffer() {
        String text = "x".repeat(300);
        assertThat((text + "Aa").hashCode()).isEqualTo((text + "BB").hashCode());
        assertThat(get(objects, text + "Aa")).isNotEqualTo(get(objects, text + "BB"));
    }

    @Test
    void clearingLeavesWhatCallsHold() {
        Held<String> held = objects.hold("a");
        use("b");
        objects.clear();
        assertThat(gone).containsExactly("of b");
        assertThat(objects.hold("a")).isSameAs(held);
        held.release();
        held.release();
        objects.clear();
        assertThat(objects.size()).isZero();
    }

    @Test
    void clearingForgetsAll() {
        use("a", "b");
        objects.clear();
        assertThat(objects.size()).isZero();
        assertThat(gone).containsExactlyInAnyOrder("of a", "of b");
        use("c", "d", "e", "f");
        assertThat(objects.size()).isEqualTo(3);
    }

    /** Even where all objects are in use, and where all but one are: a new key looks at a few of them. */
    @Test
    void aNewKeyLooksAtAFewObjectsOnAverage() {
        max = 10_000;
        for (int share : new int[] {0, 1, 100}) {
            for (int i = 0; i < 20_000; i++) {
                if (share > 0 && i % share == 0) {
                    busy.add("of " + share + "-" + i);
                }
                use(share + "-" + i);
            }
            looks = 0;
            for (int i = 0; i < 50_000; i++) {
                if (share == 1) {
                    busy.add("of new " + share + "-" + i);
                }
                use("new " + share + "-" + i);
            }
            assertThat(objects.size()).isEqualTo(10_000);
            assertThat(looks).as("1 of " + share + " is in use").isLessThan(50_000 * 20);
        }
    }

    @Test
    void aKeyOfRacingThreadsNeverHasTwoObjectsThatAreHeld() throws InterruptedException {
        ConcurrentHashMap<Integer, AtomicInteger> holders = new ConcurrentHashMap<>();
        AtomicInteger made = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Set<String> wrong = ConcurrentHashMap.newKeySet();
        KeyedObjects<AtomicInteger> racing = new KeyedObjects<>(
                () -> 4,
                key -> {
                    made.incrementAndGet();
                    return new AtomicInteger();
                },
                object -> false,
                object -> false,
                object -> ended.incrementAndGet());
        CountDownLatch end = new CountDownLatch(4);
        for (int thread = 0; thread < 4; thread++) {
            new Thread(() -> {
                        for (int i = 0; i < 50_000; i++) {
                            int key = ThreadLocalRandom.current().nextInt(16);
                            Held<AtomicInteger> held = racing.hold("k" + key);
                            AtomicInteger ofKey = holders.computeIfAbsent(key, k -> new AtomicInteger());
                            held.live().incrementAndGet();
                            ofKey.incrementAndGet();
                            if (racing.find("k" + key) != held.live()) {
                                wrong.add("k" + key);
                            }
                            ofKey.decrementAndGet();
                            held.live().decrementAndGet();
                            held.release();
                        }
                        end.countDown();
                    })
                    .start();
        }
        end.await();

        assertThat(wrong).isEmpty();
        get(racing, "one more");
        get(racing, "and one");
        assertThat(racing.size()).isEqualTo(4);
        assertThat(made.get() - ended.get()).isEqualTo(4);
    }

    @Interleaved
    void oneThatGoesIsNotHeldAndOneThatIsHeldDoesNotGo(Interleavings mode) {
        mode.explore(threads -> {
            Set<Object> ended = new HashSet<>();
            KeyedObjects<Object> two =
                    new KeyedObjects<>(() -> 1, key -> new Object(), object -> false, object -> false, ended::add);
            get(two, "a");
            List<Held<Object>> held = new ArrayList<>();

            threads.run(() -> get(two, "b"), () -> held.add(two.hold("a")));

            Object live = held.get(0).live();
            if (ended.contains(live) || two.find("a") != live) {
                throw new AssertionError("A call holds an object that has gone");
            }
        });
    }
}
