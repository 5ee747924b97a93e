package dev.resilience.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import org.junit.jupiter.api.Test;

class InterruptsTests {

    @Test
    void anInterruptIsOneHoweverItIsTold() {
        assertThat(Faults.isInterrupt(new InterruptedException())).isTrue();
        assertThat(Faults.isInterrupt(new ClosedByInterruptException())).isTrue();
        assertThat(Faults.isInterrupt(new InterruptedIOException())).isTrue();
        assertThat(Faults.isInterrupt(new InterruptedIOException("interrupted")))
                .isTrue();
    }

    @Test
    void anInterruptIsOneHoweverItIsWrapped() {
        assertThat(Faults.isInterrupt(new RuntimeException(new IOException(new InterruptedException()))))
                .isTrue();
        assertThat(Faults.isInterrupt(new ConnectException().initCause(new ClosedByInterruptException())))
                .isTrue();
    }

    @Test
    void aTimeoutIsNotOneAlthoughSomeClientsDeriveItFromIt() {
        assertThat(Faults.isInterrupt(new SocketTimeoutException())).isFalse();
        assertThat(Faults.isInterrupt(new SocketTimeoutException("interrupted")))
                .isFalse();
        assertThat(Faults.isInterrupt(new InterruptedIOException("timeout"))).isFalse();
        assertThat(Faults.isInterrupt(new InterruptedIOException("Read timed out")))
                .isFalse();
    }

    @Test
    void otherFailuresAreNone() {
        assertThat(Faults.isInterrupt(new AsynchronousCloseException())).isFalse();
        assertThat(Faults.isInterrupt(new IOException("interrupted"))).isFalse();
        Exception circle = new Exception();
        circle.initCause(new Exception(circle));
        assertThat(Faults.isInterrupt(circle)).isFalse();
    }
}
