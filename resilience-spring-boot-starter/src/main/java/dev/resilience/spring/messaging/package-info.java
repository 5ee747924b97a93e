/** Listeners of Kafka, RabbitMQ and JMS: the keys in their messages, and what becomes of messages that fail. */
@NullMarked
package dev.resilience.spring.messaging;

import org.jspecify.annotations.NullMarked;
