package dev.resilience.spring.retry;

import dev.resilience.log.LogLine;
import dev.resilience.retry.Retry;
import dev.resilience.spring.LiveRegistry;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Says in one line at startup which retry policies in use rely on the classification of failures alone: users of other
 * libraries expect that every exception is retried.
 */
public final class ClassificationReport implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ClassificationReport.class);
    private static final LogLine LINE = LogLine.info("retry_by_classification");
    private static final int MOST_NAMED = 10;

    private final Runnable methods;
    private final LiveRegistry registry;

    /**
     * @param methods finds out which policies methods use, if that is not known yet
     */
    public ClassificationReport(Runnable methods, LiveRegistry registry) {
        this.methods = methods;
        this.registry = registry;
    }

    @Override
    public void afterSingletonsInstantiated() {
        methods.run();
        Map<String, Retry> retries = registry.ofKind("retry");
        List<String> names = retries.values().stream()
                .filter(Retry::reliesOnClassification)
                .map(Retry::name)
                .filter(name -> registry.isEnabled("retry", name))
                .filter(name -> !registry.usedBy("retry", name).isEmpty())
                .toList();
        if (names.isEmpty()) {
            return;
        }
        String named = String.join("', '", names.subList(0, Math.min(names.size(), MOST_NAMED)));
        String others = names.size() > MOST_NAMED ? " and " + (names.size() - MOST_NAMED) + " more" : "";
        LINE.in(log)
                .addKeyValue("policies", names.size())
                .log(
                        "Retries repeat only what is known to be transient, where the policy has neither retry-on, "
                                + "do-not-retry-on, retry-if nor retry-unknown: '{}'{}",
                        named,
                        others);
    }
}
