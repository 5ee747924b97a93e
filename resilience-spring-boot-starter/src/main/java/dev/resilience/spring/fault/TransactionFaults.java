package dev.resilience.spring.fault;

import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.spring.ReflectiveAccessor;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/**
 * What is known of Spring's {@code TransactionSystemException}, by its name. It stands for a commit or a rollback that
 * failed, and hides what happened before: the exception of the method, or that of a commit, whose connection was lost and
 * so cannot be rolled back either.
 */
public final class TransactionFaults implements FaultClassifier {

    private static final Map<String, Boolean> NAMES =
            Map.of("org.springframework.transaction.TransactionSystemException", true);

    private final CompositeFaultClassifier others;
    private final ReflectiveAccessor applicationException = new ReflectiveAccessor("getApplicationException");

    /**
     * @param others how the exception of the method is judged
     */
    public TransactionFaults(CompositeFaultClassifier others) {
        this.others = others;
    }

    @Override
    public Fault classify(Throwable failure) {
        if (ClassNames.closest(NAMES, failure) == null) {
            return Fault.UNKNOWN;
        }
        if (applicationException.of(failure) instanceof Throwable ofMethod) {
            return others.classify(ofMethod, CompositeFaultClassifier.TRANSIENT_STATUSES);
        }
        return failure.getCause() instanceof SQLException sql && tellsOfClosedConnection(sql)
                ? Fault.TRANSIENT
                : Fault.UNKNOWN;
    }

    /** Pools close a connection that was lost, and say no more, without an SQLSTATE. */
    private static boolean tellsOfClosedConnection(SQLException failure) {
        return failure.getMessage() != null
                && failure.getMessage().toLowerCase(Locale.ROOT).contains("closed");
    }
}
