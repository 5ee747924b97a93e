package dev.resilience.spring.client;

import dev.resilience.time.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;

/**
 * The last good answers to GET requests, for when all else has failed (RFC 5861, section 4): at most 1,000 of together 16 MB,
 * those that were stored last, none of more than 1 MB. What may be stored in a shared cache alone is stored: nothing that the
 * server wants private, not stored or not stale, and nothing that was asked for with credentials. Safe for use by many threads.
 */
final class StaleAnswers {

    static final String HEADER = "X-Resilience-Stale";

    /** The longest body that is kept, in bytes. */
    static final int MAX_BODY = 1 << 20;

    private static final int MAX_ANSWERS = 1_000;
    private static final long MAX_BYTES = 16L << 20;
    private static final List<String> CREDENTIALS = List.of(HttpHeaders.AUTHORIZATION, HttpHeaders.COOKIE);
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS"); // there may be no HttpMethod
    private static final List<String> FORBIDDING =
            List.of("no-store", "no-cache", "private", "must-revalidate", "proxy-revalidate", "s-maxage");

    private final TimeSource time;
    private final LinkedHashMap<URI, Stored> answers = new LinkedHashMap<>(); // this and the next with the lock
    private long bytes;

    /**
     * A good answer.
     *
     * @param varying the headers of the request that the answer depends on
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Stored(
            HttpHeaders headers, byte[] body, @Nullable Object codecs, long at, Map<String, List<String>> varying) {}

    /**
     * An answer that is served in place of a failure; its headers say how old it is.
     *
     * @param codecs what a client needs to read it again, if it gave any
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Stale(HttpHeaders headers, byte[] body, @Nullable Object codecs) {}

    StaleAnswers(TimeSource time) {
        this.time = time;
    }

    static boolean areFor(HttpMethod method, HttpHeaders request) {
        return method.equals(HttpMethod.GET)
                && !control(request).contains("no-store")
                && CREDENTIALS.stream().noneMatch(request::containsHeader);
    }

    /**
     * Whether a good answer may be kept. What is kept of its address is forgotten if it may not, and if it is that of a request
     * that changes what is there (RFC 9111, section 4.4).
     *
     * @param isFor whether answers to such a request are kept
     */
    boolean keepsOrForgets(HttpMethod method, URI uri, boolean isFor, HttpStatusCode status, HttpHeaders answer) {
        boolean isKept = isFor && mayKeep(status, answer);
        if ((isFor && !isKept) || !SAFE.contains(method.name())) {
            forget(uri);
        }
        return isKept;
    }

    private static boolean mayKeep(HttpStatusCode status, HttpHeaders answer) {
        String control = control(answer);
        return status.value() == 200
                && FORBIDDING.stream().noneMatch(control::contains)
                && !answer.containsHeader(HttpHeaders.SET_COOKIE)
                && !MediaType.TEXT_EVENT_STREAM.isCompatibleWith(answer.getContentType()) // which may have no end
                && !answer.getVary().contains("*");
    }

    synchronized void keep(URI uri, HttpHeaders request, HttpHeaders answer, byte[] body, @Nullable Object codecs) {
        forget(uri);
        if (body.length > MAX_BODY) {
            return;
        }
        answers.put(
                uri, new Stored(HttpHeaders.copyOf(answer), body, codecs, time.nanoTime(), varying(answer, request)));
        bytes += body.length;
        Iterator<URI> oldest = List.copyOf(answers.keySet()).iterator();
        while (answers.size() > MAX_ANSWERS || bytes > MAX_BYTES) {
            forget(oldest.next());
        }
    }

    private static String control(HttpHeaders headers) {
        return String.valueOf(headers.getCacheControl()).toLowerCase(Locale.ROOT);
    }

    private synchronized void forget(URI uri) {
        Stored forgotten = answers.remove(uri);
        bytes -= forgotten == null ? 0 : forgotten.body.length;
    }

    /** The last good answer to the same request, if it is no older than that. */
    synchronized @Nullable Stale find(URI uri, HttpHeaders request, Duration maxAge) {
        Stored found = answers.get(uri);
        if (found == null || !found.varying.equals(varying(found.headers, request))) {
            return null;
        }
        Duration age = Duration.ofNanos(time.nanoTime() - found.at);
        if (age.compareTo(maxAge) > 0) {
            forget(uri);
            return null;
        }
        HttpHeaders headers = HttpHeaders.copyOf(found.headers);
        headers.set(HEADER, String.valueOf(age.toSeconds()));
        return new Stale(headers, found.body, found.codecs);
    }

    private static Map<String, List<String>> varying(HttpHeaders answer, HttpHeaders request) {
        Map<String, List<String>> values = new HashMap<>();
        answer.getVary()
                .forEach(name -> values.put(
                        StringUtils.trimAllWhitespace(name).toLowerCase(Locale.ROOT), request.getValuesAsList(name)));
        return values;
    }

    synchronized void clear() {
        answers.clear();
        bytes = 0;
    }

    synchronized int size() {
        return answers.size();
    }
}
