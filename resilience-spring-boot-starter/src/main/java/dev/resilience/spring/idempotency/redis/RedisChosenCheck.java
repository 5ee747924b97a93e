package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.WarningId.REDIS_BESIDE_DATABASE;

import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethods;
import java.lang.reflect.Method;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * Warns about {@code @Transactional} methods whose records are in Redis only because Redis is there: in the database of the
 * transaction, effect and record would commit together.
 */
public record RedisChosenCheck(ObjectProvider<TransactionAttributeSource> attributes, StartupWarnings warnings)
        implements IdempotentMethods.Check {

    @Override
    public void check(Method method, Class<?> type, String name, IdempotencyPolicy policy, boolean asynchronous) {
        TransactionAttributeSource source =
                policy.transactional() == Transactional.NEVER ? null : attributes.getIfAvailable();
        if (source != null && source.getTransactionAttribute(method, type) != null) {
            warnings.add(REDIS_BESIDE_DATABASE.of("The @Idempotent method " + name + " is transactional, but its "
                    + "records are in Redis, which was found beside the database: after a crash between the commit "
                    + "and the record the method runs again with the same key. Keep the records in the database with "
                    + "'resilience.idempotency-store.type: jdbc', which makes it exactly once, or say 'redis' there"));
        }
    }
}
