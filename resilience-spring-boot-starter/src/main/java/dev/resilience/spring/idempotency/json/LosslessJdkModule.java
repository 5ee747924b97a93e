package dev.resilience.spring.idempotency.json;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.BitSet;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.HexFormat;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.regex.Pattern;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/** Classes of the JDK of which Jackson's own text tells a part only: nanoseconds, zones, flags and bits are kept. */
final class LosslessJdkModule {

    private static final HexFormat HEX = HexFormat.of();

    private LosslessJdkModule() {}

    static SimpleModule module() {
        SimpleModule module = new SimpleModule();
        add(module, Timestamp.class, time -> time.toInstant().toString(), text -> Timestamp.from(Instant.parse(text)));
        add(module, BitSet.class, bits -> '#' + HEX.formatHex(bits.toByteArray()), LosslessJdkModule::bits);
        add(module, Pattern.class, pattern -> pattern.flags() + "/" + pattern.pattern(), LosslessJdkModule::pattern);
        module.addSerializer(Calendar.class, new Writer<>(Calendar.class, LosslessJdkModule::text));
        module.addDeserializer(
                GregorianCalendar.class, new Reader<>(GregorianCalendar.class, LosslessJdkModule::calendar));
        return module.addDeserializer(Calendar.class, new Reader<>(Calendar.class, LosslessJdkModule::calendar));
    }

    private static <T> void add(
            SimpleModule module, Class<T> type, Function<T, String> write, Function<String, T> read) {
        module.addSerializer(type, new Writer<>(type, write));
        module.addDeserializer(type, new Reader<>(type, read));
    }

    private static BitSet bits(String text) {
        return BitSet.valueOf(HEX.parseHex(text, 1, text.length()));
    }

    private static Pattern pattern(String text) {
        int slash = text.indexOf('/');
        return Pattern.compile(text.substring(slash + 1), Integer.parseInt(text.substring(0, slash)));
    }

    private static String text(Calendar calendar) {
        if (calendar instanceof GregorianCalendar gregorian) {
            return gregorian.toZonedDateTime().toString();
        }
        throw new IllegalArgumentException("A calendar of the type '" + calendar.getCalendarType()
                + "' cannot be kept: only a GregorianCalendar would come back as what it was");
    }

    /** With the first day of the week that a calendar of this place has, as the first one most likely had. */
    private static GregorianCalendar calendar(String text) {
        ZonedDateTime time = ZonedDateTime.parse(text);
        GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone(time.getZone()));
        calendar.setTimeInMillis(time.toInstant().toEpochMilli());
        return calendar;
    }

    private static final class Writer<T> extends StdScalarSerializer<T> {

        private final transient Function<T, String> text;

        Writer(Class<T> type, Function<T, String> text) {
            super(type);
            this.text = text;
        }

        @Override
        public void serialize(T value, JsonGenerator generator, SerializationContext context) {
            generator.writeString(text.apply(value));
        }
    }

    private static final class Reader<T> extends FromStringDeserializer<T> {

        private final transient Function<String, T> value;

        Reader(Class<T> type, Function<String, T> value) {
            super(type);
            this.value = value;
        }

        @Override
        protected T _deserialize(String text, DeserializationContext context) {
            return value.apply(text);
        }

        @Override
        protected boolean _shouldTrim() {
            return false;
        }
    }
}
