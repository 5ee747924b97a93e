package dev.resilience.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what cannot work, where, and the cure, in place of a stack trace. */
final class ResilienceFailureAnalyzer extends AbstractFailureAnalyzer<ResilienceConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ResilienceConfigurationException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
