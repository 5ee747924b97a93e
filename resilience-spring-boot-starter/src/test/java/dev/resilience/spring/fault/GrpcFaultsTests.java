package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** What a real gRPC client throws when a real server answers with each of the status codes, or is not there. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@Timeout(60)
class GrpcFaultsTests {

    private static final Set<Code> TRANSIENT_CODES =
            EnumSet.of(Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED, Code.ABORTED);

    private static final String HANG = "hang";

    private static final MethodDescriptor<String, String> FAIL = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("test/fail")
            .setRequestMarshaller(new Text())
            .setResponseMarshaller(new Text())
            .build();

    private static Server server;
    private static ManagedChannel channel;
    private static ManagedChannel nowhere;

    /** What the server was asked for, told to tests that have to know when it is. */
    private static final CountDownLatch hanging = new CountDownLatch(1);

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    @BeforeAll
    static void start() throws IOException {
        server = InProcessServerBuilder.forName("faults")
                .addService(ServerServiceDefinition.builder("test")
                        .addMethod(FAIL, ServerCalls.asyncUnaryCall((code, answer) -> {
                            if (code.equals(HANG)) {
                                hanging.countDown();
                            } else {
                                answer.onError(Code.valueOf(code).toStatus().asException());
                            }
                        }))
                        .build())
                .build()
                .start();
        channel = InProcessChannelBuilder.forName("faults").build();
        nowhere = InProcessChannelBuilder.forName("nobody serves this").build();
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        nowhere.shutdownNow();
        server.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(value = Code.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
    void aStatusIsTransientOrPermanentByItsCode(Code code) {
        Throwable failure = catchThrowable(() -> call(CallOptions.DEFAULT, code.name()));

        assertThat(Status.fromThrowable(failure).getCode()).isEqualTo(code);
        assertThat(classify(failure)).isEqualTo(TRANSIENT_CODES.contains(code) ? TRANSIENT : PERMANENT);
    }

    @Test
    void aServerThatIsNotThereIsTransient() {
        Throwable failure =
                catchThrowable(() -> ClientCalls.blockingUnaryCall(nowhere, FAIL, CallOptions.DEFAULT, HANG));

        assertThat(Status.fromThrowable(failure).getCode()).isEqualTo(Code.UNAVAILABLE);
        assertThat(classify(failure)).isEqualTo(TRANSIENT);
    }

    @Test
    void aDeadlineThatPassesIsTransient() {
        CallOptions impatient = CallOptions.DEFAULT.withDeadlineAfter(50, TimeUnit.MILLISECONDS);

        assertThat(classify(catchThrowable(() -> call(impatient, HANG)))).isEqualTo(TRANSIENT);
    }

    @Test
    void aFuturesFailureIsSeenThroughItsWrapper() {
        Throwable failure = catchThrowable(
                () -> ClientCalls.futureUnaryCall(channel.newCall(FAIL, CallOptions.DEFAULT), Code.UNAVAILABLE.name())
                        .get());

        assertThat(failure).isInstanceOf(ExecutionException.class);
        assertThat(classify(failure)).isEqualTo(TRANSIENT);
    }

    @Test
    void theCheckedExceptionIsKnownToo() {
        assertThat(classify(new StatusException(Status.UNAVAILABLE))).isEqualTo(TRANSIENT);
        assertThat(classify(new StatusException(Status.NOT_FOUND))).isEqualTo(PERMANENT);
    }

    @Test
    void theCodeGoesBeforeTheCause() {
        assertThat(classify(Status.INTERNAL
                        .withCause(new ConnectException("refused"))
                        .asRuntimeException()))
                .isEqualTo(PERMANENT);
        assertThat(classify(Status.UNAVAILABLE
                        .withCause(new IllegalArgumentException())
                        .asRuntimeException()))
                .isEqualTo(TRANSIENT);
    }

    @Test
    void anInterruptIsRecognised() throws Exception {
        Throwable failure = Interrupted.once(hanging::await, () -> call(CallOptions.DEFAULT, HANG));

        assertThat(Status.fromThrowable(failure).getCode()).isEqualTo(Code.CANCELLED);
        assertThat(FaultClassification.isInterrupt(failure)).isTrue();
        assertThat(classify(failure)).isNotEqualTo(TRANSIENT);
    }

    private Fault classify(Throwable failure) {
        return faults.classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static String call(CallOptions options, String request) {
        return ClientCalls.blockingUnaryCall(channel, FAIL, options, request);
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {

        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
    }
}
