package dev.resilience.sample.gateway;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when the gateway's port is taken, in place of a stack trace. Registered in spring.factories. */
final class GatewayPortInUseFailureAnalyzer extends AbstractFailureAnalyzer<GatewayPortInUseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, GatewayPortInUseException cause) {
        return new FailureAnalysis(
                "The payment gateway of the sample cannot listen on port " + cause.port() + ": it is in use.",
                "Stop the process that listens there (another sample?), or choose free ports for gateway and shop:\n\n"
                        + "    SHOP_GATEWAY_PORT=9081 SERVER_PORT=9080 mvn -Psample",
                cause);
    }
}
