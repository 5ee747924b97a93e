package dev.resilience.spring.client;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.Causes;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.web.CallContextExtractor;
import dev.resilience.spring.web.DeadlineHeader;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * What both kinds of clients ask: which entry a request belongs to, whether it may be repeated, and what goes along with it. Safe
 * for use by many threads.
 */
public final class HttpClients {

    private static final String KEY = "Idempotency-Key";
    private static final Set<HttpMethod> CREATING = Set.of(HttpMethod.POST, HttpMethod.PATCH);
    private static final Set<HttpMethod> REPEATABLE =
            Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.PUT, HttpMethod.DELETE);

    /** No connection was made. */
    private static final List<Class<? extends Exception>> WITHOUT_CONNECTION = List.of(
            ConnectException.class,
            UnknownHostException.class,
            NoRouteToHostException.class,
            UnresolvedAddressException.class,
            HttpConnectTimeoutException.class,
            SSLHandshakeException.class);

    private static final Set<String> CONNECT_TIMEOUTS =
            Set.of("Connect timed out", "Connect Timeout"); // of JDK and Jetty

    /** Exceptions of libraries, by name: no connection was made, or the pool gave none. */
    private static final Set<String> OF_LIBRARIES = Set.of(
            "org.apache.hc.client5.http.ConnectTimeoutException",
            "org.apache.hc.core5.http.ConnectionRequestTimeoutException",
            "org.apache.hc.core5.util.DeadlineTimeoutException",
            "reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException",
            "reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException");

    private final Supplier<Collection<HttpClient>> all;
    private final Supplier<FaultClassification> faults;
    private final BooleanSupplier areThere;
    private final DeadlineHeader deadlineHeader;
    final AtomicInteger redirects = new AtomicInteger();

    /**
     * @param all asked with each request: clients are made before all that they need
     * @param faults likewise
     * @param areThere whether there may be any, asked before
     */
    public HttpClients(
            Supplier<Collection<HttpClient>> all,
            Supplier<FaultClassification> faults,
            BooleanSupplier areThere,
            DeadlineHeader deadlineHeader) {
        this.all = all;
        this.faults = faults;
        this.areThere = areThere;
        this.deadlineHeader = deadlineHeader;
    }

    /** Whether there may be an entry; creates nothing, because clients are made before it. */
    public boolean areThere() {
        return areThere.getAsBoolean();
    }

    /** The entry for a host: the one with the most specific pattern; {@code null} for none. */
    @Nullable
    HttpClient find(HostPattern host) {
        HttpClient found = null;
        HostPattern best = null;
        for (HttpClient client : all.get()) {
            for (HostPattern pattern : client.hosts) {
                if (pattern.matches(host) && (best == null || HostPattern.BY_PRECISION.compare(pattern, best) > 0)) {
                    found = client;
                    best = pattern;
                }
            }
        }
        return found;
    }

    /**
     * An answer sends its request elsewhere: a connection that is refused there does not mean that it was not sent. Whose answer it
     * is need not be known: requests that run at this moment are not repeated for that, no more.
     */
    public void redirected() {
        redirects.incrementAndGet();
    }

    /**
     * The key of a logical request, for all of its attempts: {@code null} where it has one already, or needs none.
     *
     * @param body tells it from others to the same address; empty where it is not known
     */
    static @Nullable String key(
            HttpMethod method,
            URI uri,
            HttpHeaders headers,
            byte[] body,
            @Nullable HttpClient client,
            CallContext call) {
        if (!CREATING.contains(method) || headers.containsHeader(KEY)) {
            return null;
        }
        IdempotencyContext idempotent = call.idempotency();
        if (idempotent != null) {
            return idempotent.downstreamKey();
        }
        if (client == null || client.policy().idempotencyKey() == HttpClientPolicy.IdempotencyKey.NONE) {
            return null;
        }
        Attempt outer = call.attempt();
        return outer == null
                ? UUID.randomUUID().toString()
                : outer.keyFor(method + " " + uri + " " + Integer.toHexString(Arrays.hashCode(body)));
    }

    /** What goes along with one attempt; what the caller has set stays. */
    void addTo(HttpHeaders headers, @Nullable String key, CallContext call) {
        if (key != null) {
            headers.set(KEY, key);
        }
        Attempt attempt = call.attempt();
        addIfAbsent(
                headers, CallContextExtractor.ATTEMPT_HEADER, String.valueOf(attempt == null ? 1 : attempt.number()));
        Deadline deadline = call.deadline();
        if (deadline != null) {
            addIfAbsent(headers, deadlineHeader.name(), deadlineHeader.value(deadline));
        }
    }

    private static void addIfAbsent(HttpHeaders headers, String name, String value) {
        if (!headers.containsHeader(name)) {
            headers.set(name, value);
        }
    }

    /**
     * Whether a request may be sent again after a failure, as far as its method, its key and the failure tell.
     *
     * @param redirectsBefore as many as there were when the attempt began
     * @param ofExchange the failure if it is certain that it is that of this request, and not of another one that an interceptor
     *     makes
     */
    boolean mayRepeat(
            HttpMethod method,
            HttpHeaders headers,
            @Nullable String key,
            int redirectsBefore,
            @Nullable Throwable ofExchange) {
        return REPEATABLE.contains(method)
                || key != null
                || headers.containsHeader(KEY)
                || (ofExchange != null && redirectsBefore == redirects.get() && nothingWasSent(ofExchange));
    }

    /** Whether it is certain that nothing of the request was sent, if no answer has sent it elsewhere. */
    static boolean nothingWasSent(Throwable failure) {
        return Causes.of(failure).stream()
                .anyMatch(link -> WITHOUT_CONNECTION.stream().anyMatch(each -> each.isInstance(link))
                        || OF_LIBRARIES.contains(link.getClass().getName())
                        || (link instanceof SocketTimeoutException && CONNECT_TIMEOUTS.contains(link.getMessage())));
    }

    /** Lets who answers with this failure know that its request was repeated in vain. */
    void noteIfExhausted(Throwable failure, HttpHeaders ofAnswer) {
        if (faults.get().refusesRetry(failure)) {
            addIfAbsent(ofAnswer, HttpFailure.RETRY_HEADER, HttpFailure.RETRY_EXHAUSTED);
        }
    }

    /** An old answer in place of a failure, if there is one and the failure does not say that the request itself was wrong. */
    StaleAnswers.@Nullable Stale stale(HttpClient client, URI uri, HttpHeaders headers, Throwable failure) {
        Duration maxAge = client.policy().staleIfError();
        boolean isOutage = failure instanceof ResilienceException
                || faults.get().classify(failure, FaultClassification.TRANSIENT_STATUSES) != Fault.PERMANENT;
        return maxAge != null && isOutage ? client.staleAnswers.find(uri, headers, maxAge) : null;
    }
}
