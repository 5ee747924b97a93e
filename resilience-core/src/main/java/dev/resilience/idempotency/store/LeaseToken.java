package dev.resilience.idempotency.store;

/**
 * The right to complete, renew and release a record.
 *
 * @param key what the record is found by
 * @param owner the token of the call that claimed it
 * @param fence a number that grows with every claim of the record, for resources that refuse writers of the past
 */
public record LeaseToken(RecordKey key, String owner, long fence) {}
