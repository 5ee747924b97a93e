package dev.resilience.spring.messaging;

/**
 * The retry of a listener has ended without success, and takes the place of its container's: the message is not to be delivered
 * again. The cause is what the listener threw last. A {@code DefaultErrorHandler} of Kafka hands such a message to its recoverer at once;
 * others do so after {@code addNotRetryableExceptions(ListenerRetryExhaustedException.class)}. Containers of AMQP reject it.
 */
public final class ListenerRetryExhaustedException extends RuntimeException {

    ListenerRetryExhaustedException(Exception last) {
        super("The retry of the listener has ended without success: " + last, last);
    }
}
