package dev.resilience.spring.chaos;

/** What becomes of one request on its way to the database, and of the connection. */
enum Fate {
    SERVED(When.AFTER, Told.NOBODY),
    LATE_REQUEST(When.BEFORE, Told.NOBODY),
    LATE_ANSWER(When.AFTER, Told.NOBODY),
    CUT_BEFORE(When.BEFORE, Told.BOTH),
    CUT_MEANWHILE(When.MEANWHILE, Told.BOTH),
    CUT_AFTER(When.AFTER, Told.BOTH),
    /** The server goes on with a session whose client is gone, with all its locks. */
    SERVER_NOT_TOLD_BEFORE(When.BEFORE, Told.CLIENT),
    SERVER_NOT_TOLD_MEANWHILE(When.MEANWHILE, Told.CLIENT),
    SERVER_NOT_TOLD_AFTER(When.AFTER, Told.CLIENT),
    /** The client waits for an answer that never comes. */
    CLIENT_NOT_TOLD_BEFORE(When.BEFORE, Told.SERVER),
    CLIENT_NOT_TOLD_AFTER(When.AFTER, Told.SERVER);

    private final When when;
    private final Told told;

    Fate(When when, Told told) {
        this.when = when;
        this.told = told;
    }

    /** When it happens: before the server has the request, while it is at it, or when it has been executed. */
    enum When {
        BEFORE,
        MEANWHILE,
        AFTER
    }

    /** Which side hears at once that the connection is lost; the other one hears of it later. */
    enum Told {
        NOBODY,
        BOTH,
        CLIENT,
        SERVER
    }

    When when() {
        return when;
    }

    Told told() {
        return told;
    }

    boolean isLoss() {
        return told != Told.NOBODY;
    }
}
