package dev.resilience.spring.idempotency.fingerprint;

import java.io.File;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.chrono.ChronoLocalDate;
import java.time.chrono.ChronoPeriod;
import java.time.chrono.Chronology;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EventObject;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.SimpleTimeZone;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;
import org.jspecify.annotations.Nullable;

/**
 * What objects of the JDK's own classes hold, in terms of simpler ones: reflection may not look into them, and their
 * fields are others in every release. A subclass counts as the first class of this list that it extends.
 */
final class JdkValues {

    private static final Map<Class<?>, Function<Object, @Nullable Object>> VIEWS = new LinkedHashMap<>();

    static {
        for (Class<?> type : List.of(
                Instant.class,
                LocalDate.class,
                LocalTime.class,
                LocalDateTime.class,
                OffsetDateTime.class,
                OffsetTime.class,
                ZonedDateTime.class,
                Year.class,
                YearMonth.class,
                MonthDay.class,
                Duration.class,
                ZoneId.class,
                ChronoLocalDate.class,
                ChronoPeriod.class,
                Chronology.class,
                UUID.class,
                URI.class,
                URL.class,
                Currency.class,
                Charset.class,
                MathContext.class,
                StringBuilder.class,
                StringBuffer.class,
                StringJoiner.class,
                CharBuffer.class,
                XMLGregorianCalendar.class,
                javax.xml.datatype.Duration.class)) {
            VIEWS.put(type, Object::toString);
        }
        add(Locale.class, locale -> List.of(locale.toLanguageTag(), locale.toString(), locale.getVariant()));
        add(BigDecimal.class, number -> List.of(number.unscaledValue().toByteArray(), number.scale()));
        add(BigInteger.class, BigInteger::toByteArray);
        add(Timestamp.class, time -> List.of(time.getTime(), time.getNanos()));
        add(java.sql.Date.class, Date::getTime);
        add(java.sql.Time.class, Date::getTime);
        add(Date.class, Date::getTime);
        add(Calendar.class, JdkValues::calendar);
        add(SimpleTimeZone.class, TimeZone::toString);
        add(TimeZone.class, zone -> List.of(zone.getID(), zone.getRawOffset()));
        add(Pattern.class, pattern -> List.of(pattern.pattern(), pattern.flags()));
        add(BitSet.class, BitSet::toLongArray);
        add(Optional.class, JdkValues::content);
        add(OptionalInt.class, optional -> optional.isPresent() ? optional.getAsInt() : null);
        add(OptionalLong.class, optional -> optional.isPresent() ? optional.getAsLong() : null);
        add(OptionalDouble.class, optional -> optional.isPresent() ? optional.getAsDouble() : null);
        add(AtomicBoolean.class, AtomicBoolean::get);
        add(AtomicInteger.class, AtomicInteger::get);
        add(AtomicLong.class, AtomicLong::get);
        add(AtomicReference.class, JdkValues::content);
        add(Map.Entry.class, entry -> Arrays.asList(entry.getKey(), entry.getValue()));
        add(Properties.class, JdkValues::properties);
        add(ByteBuffer.class, JdkValues::remaining);
        add(Path.class, path -> List.of(path.getFileSystem().provider().getScheme(), path.toString()));
        add(File.class, File::getPath);
        add(InetAddress.class, InetAddress::getHostAddress);
        add(InetSocketAddress.class, address -> List.of(address.getHostString(), address.getPort()));
        add(QName.class, name -> List.of(name.toString(), name.getPrefix()));
        add(Type.class, Type::getTypeName);
        add(EventObject.class, EventObject::getSource);
        add(Throwable.class, failure -> Arrays.asList(failure.getMessage(), failure.getCause()));
    }

    private JdkValues() {}

    /**
     * How a value is taken apart.
     *
     * @param type which of the JDK's classes it is, apart from implementations
     */
    record View(Class<?> type, Function<Object, @Nullable Object> parts) {}

    @SuppressWarnings("unchecked")
    private static <T> void add(Class<T> type, Function<T, @Nullable Object> parts) {
        VIEWS.put(type, (Function<Object, @Nullable Object>) (Function<?, ?>) parts);
    }

    /** How objects of one of the JDK's classes are taken apart, or {@code null} if that is not known. */
    static @Nullable View of(Class<?> type) {
        return VIEWS.entrySet().stream()
                .filter(view -> view.getKey().isAssignableFrom(type))
                .findFirst()
                .map(view -> new View(view.getKey(), view.getValue()))
                .orElse(null);
    }

    /** Whether a class is one of the JDK's modules, into which no other module may look. */
    static boolean isOne(Class<?> type) {
        String module = type.getModule().getName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
    }

    private static @Nullable Object content(Optional<?> optional) {
        return optional.isPresent() ? optional.get() : null;
    }

    private static @Nullable Object content(AtomicReference<?> reference) {
        return reference.get();
    }

    /** Of a copy: to ask a calendar for its time may change it. */
    private static List<?> calendar(Calendar original) {
        Calendar calendar = (Calendar) original.clone();
        return List.of(
                calendar.getCalendarType(),
                calendar.getTimeInMillis(),
                calendar.getTimeZone(),
                calendar.isLenient(),
                calendar.getFirstDayOfWeek(),
                calendar.getMinimalDaysInFirstWeek(),
                calendar instanceof GregorianCalendar gregorian ? gregorian.getGregorianChange() : "");
    }

    /** With their defaults. */
    private static List<?> properties(Properties properties) {
        Map<String, String> texts = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> texts.put(name, properties.getProperty(name)));
        return List.of(new HashMap<>(properties), texts);
    }

    private static byte[] remaining(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
