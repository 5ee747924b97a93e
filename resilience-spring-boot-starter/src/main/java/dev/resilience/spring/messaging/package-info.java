/** Listeners of Kafka, RabbitMQ and JMS: the keys in their messages, and what their containers are told. */
@NullMarked
package dev.resilience.spring.messaging;

import org.jspecify.annotations.NullMarked;
