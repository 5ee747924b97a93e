package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.azure.core.exception.HttpResponseException;
import com.azure.core.exception.ResourceNotFoundException;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import io.grpc.Status;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkServiceException;

/** What the exceptions of cloud SDKs say of themselves, with the SDKs' own classes. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
class CloudSdkFaultsTests {

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    static Stream<Arguments> exceptions() {
        return Stream.of(
                argumentSet(
                        "AWS, retryable by its own word",
                        TRANSIENT,
                        RetryableException.builder().message("again").build()),
                argumentSet("AWS, throttled", TRANSIENT, aws(429)),
                argumentSet("AWS, unavailable", TRANSIENT, aws(503)),
                argumentSet("AWS, no such thing", PERMANENT, aws(404)),
                argumentSet("AWS, internal error", UNKNOWN, aws(500)),
                argumentSet("AWS, service without a status", UNKNOWN, aws(0)),
                argumentSet("AWS, host unknown", TRANSIENT, awsClient(new UnknownHostException("s3"))),
                argumentSet("AWS, bad configuration", PERMANENT, awsClient(new IllegalArgumentException())),
                argumentSet("AWS, client without a cause", UNKNOWN, awsClient(null)),
                argumentSet("AWS, timeout of the call", TRANSIENT, ApiCallTimeoutException.create(100)),
                argumentSet("Google, retryable by its own word", TRANSIENT, google(null, true)),
                argumentSet("Google, not retryable", UNKNOWN, google(null, false)),
                argumentSet(
                        "Google, not retried by the SDK for want of idempotence, over gRPC",
                        TRANSIENT,
                        google(Status.UNAVAILABLE.asRuntimeException(), false)),
                argumentSet(
                        "Google, no such thing, over gRPC",
                        PERMANENT,
                        google(Status.NOT_FOUND.asRuntimeException(), false)),
                argumentSet(
                        "Azure, throttled", TRANSIENT, new HttpResponseException("slow down", new AzureAnswer(429))),
                argumentSet("Azure, unavailable", TRANSIENT, new HttpResponseException("no", new AzureAnswer(503))),
                argumentSet(
                        "Azure, no such thing", PERMANENT, new ResourceNotFoundException("no", new AzureAnswer(404))),
                argumentSet("Azure, internal error", UNKNOWN, new HttpResponseException("no", new AzureAnswer(500))),
                argumentSet("Azure, without an answer", UNKNOWN, new HttpResponseException("no", null)),
                argumentSet(
                        "Jetty, an answer that ended early",
                        TRANSIENT,
                        new org.eclipse.jetty.client.HttpResponseException(
                                "HTTP protocol violation: bad response: Early EOF",
                                new org.eclipse.jetty.client.transport.HttpResponse(null).status(200))),
                argumentSet(
                        "Azure, without an answer for a reason",
                        TRANSIENT,
                        new HttpResponseException("no", null, new ConnectException("refused"))));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void sayWhatKindOfFaultTheyAre(Fault fault, Exception exception) {
        assertThat(faults.classify(exception, FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(fault);
    }

    @Test
    void tellWhenToComeBack() {
        assertThat(faults.httpFailure(new HttpResponseException("slow down", new AzureAnswer(429))))
                .isEqualTo(new HttpFailure(429, "17"));
        assertThat(faults.httpFailure(aws(429))).isEqualTo(new HttpFailure(429, null));
    }

    private static Exception aws(int status) {
        return SdkServiceException.builder().message("no").statusCode(status).build();
    }

    private static Exception awsClient(@Nullable Throwable cause) {
        return SdkClientException.builder().message("no").cause(cause).build();
    }

    private static Exception google(@Nullable Throwable cause, boolean retryable) {
        return new ApiException(cause, new GoogleStatus(), retryable);
    }

    private record GoogleStatus() implements StatusCode {

        @Override
        public Code getCode() {
            return Code.UNAVAILABLE;
        }

        @Override
        public Object getTransportCode() {
            return 503;
        }
    }
}
