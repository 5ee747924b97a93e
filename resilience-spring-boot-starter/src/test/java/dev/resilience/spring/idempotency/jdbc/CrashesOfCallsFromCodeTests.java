package dev.resilience.spring.idempotency.jdbc;

/** {@link CrashTests} of a program that has no annotation: a transaction around calls from code. */
class CrashesOfCallsFromCodeTests extends CrashTests {

    CrashesOfCallsFromCodeTests(ServerDatabases database) {
        super(database, true);
    }
}
