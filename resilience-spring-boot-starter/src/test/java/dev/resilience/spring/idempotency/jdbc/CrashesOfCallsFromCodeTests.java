package dev.resilience.spring.idempotency.jdbc;

import org.junit.jupiter.api.Tag;

/** {@link CrashTests} of a program that has no annotation: a transaction around calls from code. */
@Tag("long")
class CrashesOfCallsFromCodeTests extends CrashTests {

    CrashesOfCallsFromCodeTests(ServerDatabases database) {
        super(database);
    }

    @Override
    boolean isFromCode() {
        return true;
    }
}
