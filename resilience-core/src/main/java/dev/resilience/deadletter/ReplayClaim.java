package dev.resilience.deadletter;

/**
 * The right to replay a letter and to say how that ended.
 *
 * @param replays how often the letter was replayed, this time included
 * @param fence a number that grows with every claim of the letter. What is said with a former one changes nothing
 */
public record ReplayClaim(DeadLetter letter, int replays, long fence) {}
