package dev.resilience.spring.messaging;

import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.PolicyChanged;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.amqp.rabbit.config.RabbitListenerConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.jms.config.JmsListenerConfigUtils;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * Lets the containers of listeners pause while circuit breakers that protect them are open, until the next call is a probe: those
 * of Kafka by their pause, others by a stop and a start. Which of them pause follows from the states of the breakers, whenever one
 * of these changes, a probe is due, or the application starts. When it ends, everything stays as it is.
 */
public final class ListenerPauses implements ApplicationListener<ApplicationContextEvent> {

    /** From the containers of all brokers to the methods that they call: names of fields. */
    private static final String[] PATH = ("containerProperties,messageListener,delegate,handlerMethod,handlerAdapter,"
                    + "invokerHandlerMethod,delegatingHandler,handlers")
            .split(",");

    private final TimeSource time;
    private final ConfigurableApplicationContext application;
    private final Map<String, CircuitBreaker> breakers = new ConcurrentHashMap<>(); // by listener
    private final Set<SmartLifecycle> paused = ConcurrentHashMap.newKeySet();
    private final Set<Object> changing = ConcurrentHashMap.newKeySet(); // containers whose next change is to come
    private Scheduled nextProbe = () -> {}; // with the lock

    public ListenerPauses(TimeSource time, ResilienceRegistry registry, ConfigurableApplicationContext application) {
        this.time = time;
        this.application = application;
        registry.onEvent(CircuitStateChanged.class, change -> update());
        registry.onEvent(PolicyChanged.class, change -> update());
        application.addApplicationListener(this);
    }

    void add(ProtectedMethod<?> listener, CircuitBreaker breaker) {
        breakers.put(MethodNames.full(listener.method(), listener.type()), breaker);
    }

    @Override
    public void onApplicationEvent(ApplicationContextEvent startOrEnd) {
        Predicate<CircuitBreaker> isToPause = breaker -> breaker.policy().pauseListeners();
        if (startOrEnd instanceof ContextRefreshedEvent
                && breakers.values().stream().noneMatch(isToPause)) {
            application.getBean(ResilienceRegistry.class).circuitBreakers().values().stream()
                    .filter(isToPause)
                    .limit(1)
                    .map(breaker -> "'pause-listeners' of the circuit breaker '" + breaker.name() + "' has no effect, "
                            + "because it protects no listener. Put its annotation on the method that listens, or on "
                            + "its class: on a bean that the listener calls, it pauses nothing")
                    .forEach(text -> application.getBean(StartupWarnings.class).add(KEY_WITHOUT_EFFECT.of(text)));
        }
        update();
    }

    private synchronized void update() {
        nextProbe.cancel();
        if (application.isClosed() || !application.isRunning()) {
            return;
        }
        Stream.of(
                        KafkaListenerConfigUtils.KAFKA_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
                        RabbitListenerConfigUtils.RABBIT_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
                        JmsListenerConfigUtils.JMS_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME)
                .filter(application::containsBean)
                .map(registry ->
                        new DirectFieldAccessor(application.getBean(registry)).getPropertyValue("listenerContainers"))
                .flatMap(containers -> containers instanceof Map<?, ?> all ? all.values().stream() : Stream.empty())
                .forEach(this::updateOnItsThread);
        breakers.values().stream()
                .filter(CircuitBreakerKind::pausesListeners)
                .flatMap(breaker -> Stream.ofNullable(breaker.status().nextProbe()))
                .min(Instant::compareTo)
                .ifPresent(due -> nextProbe = time.schedule(Duration.between(time.now(), due), this::update));
    }

    /** A stop may wait for messages, one of which may run on this thread. What cannot be done yet is tried again. */
    private void updateOnItsThread(Object container) {
        boolean isQuick = (BrokerMessages.KAFKA && container instanceof AbstractMessageListenerContainer)
                || (BrokerMessages.JMS && container instanceof DefaultMessageListenerContainer);
        Executor thread = isQuick ? Runnable::run : change -> time.scheduleUrgent(Duration.ZERO, change);
        if (changing.add(container)) {
            thread.execute(() -> {
                try {
                    update((SmartLifecycle) container);
                } catch (RuntimeException notYet) { // such as consumers that have not ended, or a broker that is away
                    time.schedule(DeliveryLayer.PAUSE, () -> updateOnItsThread(container));
                }
            });
        }
    }

    /** What the application itself has paused or stopped stays so. */
    private void update(SmartLifecycle container) {
        synchronized (container) {
            changing.remove(container);
            boolean isToPause = methods(container)
                    .flatMap(method -> Stream.ofNullable(breakers.get(method)))
                    .anyMatch(CircuitBreakerKind::pausesListeners);
            if (BrokerMessages.KAFKA && container instanceof AbstractMessageListenerContainer<?, ?> ofKafka) {
                if (isToPause && !ofKafka.isPauseRequested()) {
                    paused.add(ofKafka);
                    ofKafka.pause();
                } else if (!isToPause && paused.remove(ofKafka)) {
                    ofKafka.resume();
                }
            } else if (isToPause && container.isRunning()) {
                paused.add(container);
                DirectFieldAccessor fields = new DirectFieldAccessor(container);
                if (fields.isWritableProperty("forceCloseChannel")) {
                    // a consumer of RabbitMQ ends what it handles now, and acknowledges it
                    fields.setPropertyValue("forceCloseChannel", false);
                }
                container.stop();
            } else if (!isToPause && !application.isClosed() && paused.contains(container)) {
                container.start();
                paused.remove(container);
            }
        }
    }

    private static Stream<String> methods(Object part) {
        if (part instanceof InvocableHandlerMethod called) {
            return Stream.of(MethodNames.full(called.getMethod(), AopUtils.getTargetClass(called.getBean())));
        }
        if (part instanceof Collection<?> parts) {
            return parts.stream().flatMap(ListenerPauses::methods);
        }
        DirectFieldAccessor fields = new DirectFieldAccessor(part);
        return Stream.of(PATH)
                .filter(fields::isReadableProperty)
                .flatMap(field -> Stream.ofNullable(fields.getPropertyValue(field)))
                .flatMap(ListenerPauses::methods);
    }
}
