package dev.resilience.spring.aop.check;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.aop.method.TransactionalMethods;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;

/** Warns of woven retries that stand inside of the transaction of their method, because that is a proxy's. */
final class WovenTransactionsCheck {

    /** As Spring calls it. */
    private static final String WOVEN_TRANSACTIONS = "org.springframework.transaction.config.internalTransactionAspect";

    private final boolean isOutside;
    private final StartupWarnings warnings;

    WovenTransactionsCheck(BeanFactory beans, boolean isWoven, StartupWarnings warnings) {
        this.isOutside = isWoven && !beans.containsBean(WOVEN_TRANSACTIONS);
        this.warnings = warnings;
    }

    void check(Class<?> type, Map<Method, ResilienceAnnotations> methods) {
        methods.forEach((method, protection) -> {
            if (isOutside && protection.has(Retryable.class) && TransactionalMethods.mayBeginAt(method, type)) {
                warnings.add(
                        "The method " + MethodNames.full(method, type) + " has " + protection
                                + ", which AspectJ weaves, and @Transactional on a proxy around that: all attempts are in one "
                                + "transaction, and none is made once it is marked for rollback. Weave transactions too, by "
                                + "@EnableTransactionManagement(mode = AdviceMode.ASPECTJ), or remove 'resilience.advice-mode'");
            }
        });
    }
}
