package dev.resilience.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class InterruptsTests {

    @Test
    void anInterruptIsOneHoweverItIsTold() {
        assertThat(FaultClassification.isInterrupt(new InterruptedException())).isTrue();
        assertThat(FaultClassification.isInterrupt(new ClosedByInterruptException()))
                .isTrue();
        assertThat(FaultClassification.isInterrupt(new InterruptedIOException()))
                .isTrue();
        assertThat(FaultClassification.isInterrupt(new InterruptedIOException("interrupted")))
                .isTrue();
        assertThat(FaultClassification.isInterrupt(new SocketException("Closed by interrupt")))
                .isTrue();
    }

    @Test
    void anInterruptIsOneHoweverItIsWrapped() {
        assertThat(FaultClassification.isInterrupt(new RuntimeException(new IOException(new InterruptedException()))))
                .isTrue();
        assertThat(FaultClassification.isInterrupt(new ConnectException().initCause(new ClosedByInterruptException())))
                .isTrue();
    }

    @Test
    void aTimeoutIsNotOneAlthoughSomeClientsDeriveItFromIt() {
        assertThat(FaultClassification.isInterrupt(new SocketTimeoutException()))
                .isFalse();
        assertThat(FaultClassification.isInterrupt(new SocketTimeoutException("interrupted")))
                .isFalse();
        assertThat(FaultClassification.isInterrupt(new InterruptedIOException("timeout")))
                .isFalse();
        assertThat(FaultClassification.isInterrupt(new InterruptedIOException("Read timed out")))
                .isFalse();
    }

    @Test
    void otherFailuresAreNone() {
        assertThat(FaultClassification.isInterrupt(new AsynchronousCloseException()))
                .isFalse();
        assertThat(FaultClassification.isInterrupt(new IOException("interrupted")))
                .isFalse();
        Exception circle = new Exception();
        circle.initCause(new Exception(circle));
        assertThat(FaultClassification.isInterrupt(circle)).isFalse();
    }

    @Test
    void anInterruptIsNotTransientHoweverMuchItLooksLikeALostConnection() {
        assertThat(classify(new ClosedByInterruptException())).isEqualTo(Fault.UNKNOWN);
        assertThat(classify(new ConnectException().initCause(new ClosedByInterruptException())))
                .isEqualTo(Fault.UNKNOWN);
        assertThat(classify(new SQLException("no connection", "08006", new SocketException("Closed by interrupt"))))
                .isEqualTo(Fault.UNKNOWN);
    }

    @Test
    void whatIsPermanentStaysSoIfAnInterruptWasInvolved() {
        assertThat(classify(new IllegalArgumentException(new InterruptedException())))
                .isEqualTo(Fault.PERMANENT);
    }

    @ParameterizedTest
    @MethodSource("blockingCalls")
    void aRealInterruptIsRecognised(BlockingCall call) throws Exception {
        assertInterrupt(interrupted(call, Thread::new));
    }

    @ParameterizedTest
    @MethodSource("blockingCalls")
    @EnabledForJreRange(min = JRE.JAVA_21)
    void aRealInterruptOfAVirtualThreadIsRecognised(BlockingCall call) throws Exception {
        assertInterrupt(interrupted(call, InterruptsTests::virtual));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void aRealInterruptOfAVirtualThreadAtASocketIsRecognised() throws Exception {
        BlockingCall read = server -> {
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                return socket.getInputStream().read();
            }
        };
        assertInterrupt(interrupted(read, InterruptsTests::virtual));
    }

    static Stream<Arguments> blockingCalls() {
        return Stream.of(
                argumentSet("HttpClient", (BlockingCall) server -> HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"))
                                        .build(),
                                BodyHandlers.discarding())),
                argumentSet("channel", (BlockingCall) server -> {
                    try (SocketChannel channel = SocketChannel.open(server.getLocalSocketAddress())) {
                        return channel.read(ByteBuffer.allocate(1));
                    }
                }),
                argumentSet("future", (BlockingCall) server -> {
                    new Socket(server.getInetAddress(), server.getLocalPort()).close();
                    return new CompletableFuture<>().get();
                }));
    }

    private static void assertInterrupt(Throwable failure) {
        assertThat(FaultClassification.isInterrupt(failure)).as("%s", failure).isTrue();
        assertThat(classify(failure)).isEqualTo(Fault.UNKNOWN);
    }

    /** What a call throws when its thread is interrupted once the call has reached a server that never answers. */
    private static Throwable interrupted(BlockingCall call, Function<Runnable, Thread> threads) throws Exception {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread thread = threads.apply(() -> end.complete(catchThrowable(() -> call.at(server))));
            thread.start();
            Socket connection = server.accept();
            thread.interrupt();
            Throwable failure = end.get(30, TimeUnit.SECONDS);
            connection.close();
            return failure;
        }
    }

    /** {@code Thread.ofVirtual().unstarted(task)}, which JDK 17 does not have. */
    private static Thread virtual(Runnable task) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class)
                    .invoke(builder, task);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Fault classify(Throwable failure) {
        return FaultClassification.ofJdk().classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    @FunctionalInterface
    interface BlockingCall {

        Object at(ServerSocket server) throws Exception;
    }
}
