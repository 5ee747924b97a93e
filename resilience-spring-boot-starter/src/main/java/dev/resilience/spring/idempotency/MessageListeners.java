package dev.resilience.spring.idempotency;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.kind.ProtectedMethod;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;

/** Methods that message brokers call, and what of a message is a call's key and what its payload. */
public interface MessageListeners {

    /** Those of the application; {@code null} if the method is none of them. */
    static @Nullable MessageListeners of(ObjectProvider<MessageListeners> application, Method method) {
        MessageListeners all = application.getIfAvailable();
        return all != null && all.contain(method) ? all : null;
    }

    /** Whether a method listens to a broker. */
    boolean contain(Method method);

    /**
     * Takes the keys of a listener's calls from a header of their messages.
     *
     * @param required whether a message without the header is refused
     */
    KeySource keys(String header, boolean required);

    /**
     * The type of the payload of an argument, which may be a whole message.
     *
     * @return {@code null} for headers, and for what belongs to the delivery
     */
    @Nullable
    ResolvableType payloadType(MergedAnnotations annotations, ResolvableType declared);

    /** The payload of an argument, which may be a whole message. */
    @Nullable
    Object payload(@Nullable Object argument);

    /** Acknowledges a message by hand whose listener, which would have done so, does not run. */
    void replayed(Invocation message);

    /**
     * What stands around all other layers of a listener, which may call it more than once.
     *
     * @throws dev.resilience.spring.ResilienceConfigurationException for what a listener cannot have
     */
    Layer aroundDeliveries(ProtectedMethod<?> listener);
}
