package dev.resilience.spring;

import java.util.Locale;

/** What a startup warning is about: the name by which it is ignored, and its anchor in {@code docs/warnings.md}. */
public enum WarningId {
    ANNOTATION_ON_BEAN_METHOD,
    ANNOTATION_ON_CALLBACK,
    ANNOTATION_ON_FALLBACK,
    ASYNC_INSIDE_PROTECTION,
    BEAN_WITHOUT_PROXY,
    BINDING_WITHOUT_METHOD,
    BROAD_REPLAY_EXCEPTIONS,
    CLIENT_WITHOUT_MODULE,
    COMMIT_FREES_KEY,
    CONTEXT_NOT_PROPAGATED,
    DEAD_LETTERS_FORGOTTEN,
    FALLBACK_NEVER_CALLED,
    KEY_WITHOUT_EFFECT,
    LAYER_WITHOUT_EFFECT,
    MEMORY_STORE,
    MEMORY_STORE_BESIDE_DATABASE,
    OTHER_RETRYABLE,
    POLICY_WITHOUT_USE,
    QUEUE_TOO_LONG,
    REDIS_BESIDE_DATABASE,
    REDIS_EVICTS,
    REPLAY_WITHOUT_KEY,
    RESULT_OUTSIDE_TRANSACTION,
    RETRY_BEYOND_DEADLINE,
    RETRY_BEYOND_POLL_INTERVAL,
    RETRY_BEYOND_TIME_LIMIT,
    RETRY_IN_TRANSACTION,
    RETRY_INSIDE_RETRY,
    RETRY_OF_BATCH,
    RETRY_OF_CREATION,
    RETRY_WITHOUT_JITTER,
    SELF_INVOCATION,
    SHARED_KEYS,
    TRANSACTION_ON_WORKER;

    /** A warning with this id. */
    public StartupWarnings.Warning of(String text) {
        return new StartupWarnings.Warning(this, text);
    }

    /** As in {@code resilience.warnings.ignore}: {@code self-invocation}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
