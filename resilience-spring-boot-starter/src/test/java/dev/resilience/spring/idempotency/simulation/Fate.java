package dev.resilience.spring.idempotency.simulation;

/** What becomes of a statement, or of a COMMIT, on its way to the server and back. */
enum Fate {
    APPLIED,
    /** The server does not do it, and says so. */
    REFUSED,
    /** The connection breaks before the server has seen it. */
    LOST,
    /** The server does it, and the connection breaks before the client hears of it. */
    ANSWER_LOST,
    /** The server sees it late. */
    LATE_REQUEST,
    /** The client hears of it late. */
    LATE_ANSWER,
    /** The client has given up and closed its end when the server does it at last. */
    APPLIED_AFTER_GIVING_UP
}
