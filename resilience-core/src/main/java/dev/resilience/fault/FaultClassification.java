package dev.resilience.fault;

import dev.resilience.log.LogLine;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classifies failures: asks the application's classifier, looks for {@link TransientFault}, then at what is known of
 * libraries, at HTTP statuses, and at what is known of the JDK's exceptions; for the exception itself and then for each
 * of its causes, until one of them is known to be transient or permanent.
 *
 * <p>An {@link Error} is permanent whatever its cause, unless the application itself says otherwise: its classifier and
 * {@link TransientFault} are explicit, the rule is the library's general one. An interrupt is never transient, though
 * its exception often looks like a lost connection. Safe for use by many threads.
 */
public final class FaultClassification {

    /** The statuses that are transient unless a policy says otherwise. */
    public static final Set<Integer> TRANSIENT_STATUSES = Set.of(408, 429, 502, 503, 504);

    /** More than are on their way to an answer at the same time. */
    private static final int MAX_GIVEN_UP = 10_000;

    private static final Logger log = LoggerFactory.getLogger(FaultClassification.class);

    private final FaultClassifier custom;
    private final List<FaultClassifier> known;
    private final List<HttpFailure.Reader> httpReaders;
    private final Set<Class<?>> brokenJudges = ConcurrentHashMap.newKeySet();

    /** The last failures that calls gave up with, by identity: equality is up to their classes. Holds none of them alive. */
    private final Map<Integer, WeakReference<Throwable>> givenUp = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, WeakReference<Throwable>> eldest) {
            return size() > MAX_GIVEN_UP;
        }
    });

    /**
     * @param custom the application's classifier, asked first
     * @param known what is known of further libraries, asked before HTTP statuses and what is known of the JDK
     * @param httpReaders how to find the HTTP answer in the exceptions of the clients in use
     */
    public FaultClassification(
            FaultClassifier custom, List<FaultClassifier> known, List<HttpFailure.Reader> httpReaders) {
        this.custom = custom;
        this.known = List.copyOf(known);
        this.httpReaders = List.copyOf(httpReaders);
    }

    /** Knows the JDK alone. */
    public static FaultClassification ofJdk() {
        return new FaultClassification(failure -> Fault.UNKNOWN, List.of(), List.of());
    }

    /**
     * Tells what kind of fault an exception is; refused retries are left aside.
     *
     * @param transientStatuses the HTTP statuses that count as transient
     */
    public Fault classify(Throwable failure, Set<Integer> transientStatuses) {
        return classify(failure, transientStatuses, false);
    }

    /**
     * Tells what kind of fault an exception is.
     *
     * @param transientStatuses the HTTP statuses that count as transient
     * @param forRetry whether an HTTP answer that refuses retries is permanent, whatever its status; it is not for a circuit
     *     breaker, because the callee is not well
     */
    public Fault classify(Throwable failure, Set<Integer> transientStatuses, boolean forRetry) {
        for (Throwable link : Causes.of(failure)) {
            Fault fault = ofApplication(link);
            if (fault != Fault.UNKNOWN) {
                return fault;
            }
            fault = ofLibrary(link, transientStatuses, forRetry);
            if (fault == Fault.PERMANENT || (fault == Fault.TRANSIENT && !isInterrupt(failure))) {
                return fault;
            }
        }
        return Fault.UNKNOWN;
    }

    /**
     * Whether the failure says that its thread was interrupted, be it wrapped: it tells nothing of the callee, and
     * another attempt is not wanted. A timeout is no interrupt, though some clients derive it from {@link
     * InterruptedIOException}; nor is what a {@link TransientFault} was caused by, such as a time limit's own interrupt.
     */
    public static boolean isInterrupt(Throwable failure) {
        for (Throwable link : Causes.of(failure)) {
            if (link instanceof TransientFault) {
                return false;
            }
            if (link instanceof InterruptedException
                    || link instanceof ClosedByInterruptException
                    || isPlainInterruptedIo(link)
                    || isVirtualThreadsInterrupt(link)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPlainInterruptedIo(Throwable failure) {
        return failure.getClass() == InterruptedIOException.class && !Causes.mentionTimeout(failure);
    }

    /** What a virtual thread gets when it is interrupted at a socket; a platform thread would not notice. */
    private static boolean isVirtualThreadsInterrupt(Throwable failure) {
        return failure instanceof SocketException && Causes.messageOf(failure).equals("Closed by interrupt");
    }

    /** The last of the causes, or the failure itself if it has none. */
    public static Throwable rootCause(Throwable failure) {
        List<Throwable> links = Causes.of(failure);
        return links.get(links.size() - 1);
    }

    /** The HTTP answer that the exception or the first of its causes to have one carries. */
    public @Nullable HttpFailure httpFailure(Throwable failure) {
        for (Throwable link : Causes.of(failure)) {
            HttpFailure answer = read(link);
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    /** Remembers that a call ended with this failure because attempts, budget or time for another one ran out. */
    public void giveUp(Throwable failure) {
        givenUp.put(System.identityHashCode(failure), new WeakReference<>(failure));
    }

    /**
     * Whether an HTTP answer that reports this failure should refuse retries ({@link HttpFailure#RETRY_HEADER}): a call gave up
     * with it or with one of its causes, or it is an HTTP answer that refused them. An object that is thrown again and again
     * refuses them for good once a call gave up with it.
     */
    public boolean refusesRetry(Throwable failure) {
        HttpFailure answer = httpFailure(failure);
        return (answer != null && (answer.retryRefused() || HttpFailure.RETRY_EXHAUSTED.equals(answer.retry())))
                || Causes.of(failure).stream().anyMatch(this::isGivenUp);
    }

    private boolean isGivenUp(Throwable failure) {
        WeakReference<Throwable> known = givenUp.get(System.identityHashCode(failure));
        return known != null && known.refersTo(failure);
    }

    private Fault ofApplication(Throwable failure) {
        Fault fault = ask(custom, failure);
        return fault == Fault.UNKNOWN && failure instanceof TransientFault ? Fault.TRANSIENT : fault;
    }

    private Fault ofLibrary(Throwable failure, Set<Integer> transientStatuses, boolean forRetry) {
        for (FaultClassifier classifier : known) {
            Fault fault = ask(classifier, failure);
            if (fault != Fault.UNKNOWN) {
                return fault;
            }
        }
        HttpFailure answer = read(failure);
        if (answer == null) {
            return JdkFaults.classify(failure);
        }
        return forRetry && answer.retryRefused() ? Fault.PERMANENT : ofStatus(answer.status(), transientStatuses);
    }

    private static Fault ofStatus(int status, Set<Integer> transientStatuses) {
        if (transientStatuses.contains(status)) {
            return Fault.TRANSIENT;
        }
        return status >= 400 && status < 500 ? Fault.PERMANENT : Fault.UNKNOWN;
    }

    private @Nullable HttpFailure read(Throwable failure) {
        for (HttpFailure.Reader reader : httpReaders) {
            try {
                HttpFailure answer = reader.read(failure);
                if (answer != null) {
                    return answer;
                }
            } catch (Throwable broken) { // a checked one too, thrown sneakily
                report(reader, failure, broken);
            }
        }
        return null;
    }

    /** An exception that is thrown while a failure is judged must not take the failure's place. */
    private Fault ask(FaultClassifier classifier, Throwable failure) {
        try {
            Fault answer = classifier.classify(failure);
            return answer == null ? Fault.UNKNOWN : answer;
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            report(classifier, failure, broken);
            return Fault.UNKNOWN;
        }
    }

    private void report(Object judge, Throwable failure, Throwable broken) {
        if (brokenJudges.add(judge.getClass())) {
            String classifier = judge.getClass().getName();
            LogLine.CALLBACK_FAILED
                    .in(log)
                    .addKeyValue("callback", classifier)
                    .setCause(broken)
                    .log(
                            "{} threw when asked about {}; taken as knowing nothing. Logged once.",
                            classifier,
                            failure.getClass().getName());
        }
    }

    /**
     * Marks an exception whose cause is the failure of another call: it explains why this call was not made, and says nothing
     * about this call. So neither the cause nor what caused it is looked at when the exception, or one that wraps it, is
     * classified or matched against a policy's lists.
     */
    public interface ForeignCause {}
}
