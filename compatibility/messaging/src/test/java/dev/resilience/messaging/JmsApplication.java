package dev.resilience.messaging;

import jakarta.jms.Message;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.springframework.boot.artemis.autoconfigure.ArtemisConfigurationCustomizer;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.core.JmsTemplate;

/** An application as Boot makes it, with an Artemis of its own, which gives a message up after three deliveries. */
final class JmsApplication implements AutoCloseable {

    static final String QUEUE = "orders";
    static final String DEAD = "dead";

    final ConfigurableApplicationContext context;
    final Effects effects = new Effects();

    JmsApplication(List<String> properties, Class<?>... components) {
        List<String> all = new ArrayList<>(List.of(
                "spring.artemis.mode=embedded",
                "spring.artemis.embedded.persistent=false",
                "spring.artemis.embedded.queues=" + QUEUE + "," + DEAD));
        all.addAll(properties);
        context = effects.application(Application.class, all, components);
    }

    /** With the Artemis of another application, which {@link Reachable} is a component of. */
    JmsApplication(String brokerUrl, List<String> properties, Class<?>... components) {
        List<String> all =
                new ArrayList<>(List.of("spring.artemis.mode=native", "spring.artemis.broker-url=" + brokerUrl));
        all.addAll(properties);
        context = effects.application(Client.class, all, components);
    }

    /** Lets other processes of this machine connect to the Artemis. */
    static class Reachable {

        @Bean
        ArtemisConfigurationCustomizer listensOnAPort() {
            return configuration -> {
                try {
                    configuration.addAcceptorConfiguration("tcp", "tcp://127.0.0.1:0");
                } catch (Exception wrong) {
                    throw new IllegalStateException(wrong);
                }
            };
        }
    }

    String brokerUrl() {
        NettyAcceptor acceptor = (NettyAcceptor) server().getRemotingService().getAcceptor("tcp");
        return "tcp://127.0.0.1:" + acceptor.getActualPort();
    }

    /** The queue as the broker has it: its messages are counted until they are acknowledged. */
    Queue queue() {
        return server().locateQueue(QUEUE);
    }

    private ActiveMQServer server() {
        return context.getBean(EmbeddedActiveMQ.class).getActiveMQServer();
    }

    /** With a property {@code messageId} unless that is {@code null}. */
    void send(String messageId, String value) {
        context.getBean(JmsTemplate.class).convertAndSend(QUEUE, value, (Message message) -> {
            if (messageId != null) {
                message.setStringProperty("messageId", messageId);
            }
            return message;
        });
    }

    /** How many messages are in a queue. */
    int waiting(String queue) {
        return context.getBean(JmsTemplate.class).browse(queue, (session, browser) -> {
            int count = 0;
            for (Enumeration<?> all = browser.getEnumeration(); all.hasMoreElements(); all.nextElement()) {
                count++;
            }
            return count;
        });
    }

    long outcomes(String outcome) {
        return KafkaApplication.outcomes(context, outcome);
    }

    <B> B bean(Class<B> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Client {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        ArtemisConfigurationCustomizer givesUpAfterThreeDeliveries() {
            AddressSettings settings =
                    new AddressSettings().setMaxDeliveryAttempts(3).setDeadLetterAddress(SimpleString.of(DEAD));
            return configuration -> configuration.addAddressSetting("#", settings);
        }
    }
}
