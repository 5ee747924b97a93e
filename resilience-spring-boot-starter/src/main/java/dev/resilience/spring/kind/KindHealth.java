package dev.resilience.spring.kind;

/**
 * What the health contributor tells of a live object.
 *
 * @param state in one word
 * @param isDown whether the application counts as down
 */
public record KindHealth(String state, boolean isDown) {}
