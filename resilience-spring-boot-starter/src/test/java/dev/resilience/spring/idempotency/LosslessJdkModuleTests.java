package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Classes of the JDK of which JSON usually shows a part only. */
class LosslessJdkModuleTests {

    private static final Timestamp TIME = Timestamp.valueOf("2026-01-02 03:04:05.123456789");

    @Test
    void comeBackWhole() {
        IdempotentApplication.with(Shop.class, shop -> {
            Parts first = shop.parts("k");
            Parts second = shop.parts("k");
            assertThat(second.time()).isEqualTo(TIME).hasSameClassAs(TIME);
            assertThat(second.pattern())
                    .hasToString("a/b")
                    .extracting(Pattern::flags)
                    .isEqualTo(2);
            assertThat(second.bits()).isEqualTo(first.bits());
            assertThat(second.none()).isEqualTo(new BitSet());
            assertThat(second.calendar().toInstant()).isEqualTo(first.calendar().toInstant());
            assertThat(second.gregorian().toInstant())
                    .isEqualTo(first.gregorian().toInstant());
        });
    }

    @Test
    void setsKeepTheirOrder() {
        IdempotentApplication.with(Shop.class, shop -> {
            List<String> first = new ArrayList<>(shop.words("k"));
            assertThat(shop.words("k")).containsExactlyElementsOf(first);
        });
    }

    @Test
    void areOtherArgumentsIfAnyPartOfThemDiffers() {
        Timestamp later = new Timestamp(TIME.getTime());
        later.setNanos(TIME.getNanos() + 1);
        assertDiffer(TIME, later);
        assertDiffer(bits(1), bits(2));
        assertDiffer(bits(), bits(0));
        assertDiffer(Pattern.compile("a"), Pattern.compile("a", Pattern.CASE_INSENSITIVE));
    }

    private static void assertDiffer(Object one, Object other) {
        IdempotentApplication.with(Shop.class, shop -> {
            shop.take("k", Map.of("part", one));
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> shop.take("k", Map.of("part", other)));
        });
    }

    private static BitSet bits(int... set) {
        BitSet bits = new BitSet();
        for (int bit : set) {
            bits.set(bit);
        }
        return bits;
    }

    private static GregorianCalendar calendar(String zone) {
        GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone(zone));
        calendar.setTimeInMillis(1_234_567_890_123L);
        return calendar;
    }

    record Parts(
            Timestamp time,
            BitSet bits,
            BitSet none,
            Pattern pattern,
            Calendar calendar,
            GregorianCalendar gregorian) {}

    static class Shop {

        @Idempotent(key = "#key")
        Parts parts(String key) {
            return new Parts(
                    TIME,
                    bits(3, 64, 200),
                    bits(),
                    Pattern.compile("a/b", Pattern.CASE_INSENSITIVE),
                    calendar("Asia/Tokyo"),
                    calendar("GMT+02:00"));
        }

        @Idempotent(key = "#key")
        Set<String> words(String key) {
            return new LinkedHashSet<>(List.of("z", "a", "m", "b", "q", "c"));
        }

        @Idempotent(key = "#key")
        void take(String key, Map<String, Object> parts) {}
    }
}
