package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;
import java.util.function.Supplier;

/** The client's side of a connection: every statement has its {@link Fate}, and hands the baton over on both ways. */
final class SimulatedConnection {

    private final SimulatedDatabase database;
    private final Machine client;
    private final Weather weather;
    private final Session session;
    private boolean broken;

    SimulatedConnection(SimulatedDatabase database, Machine client, Weather weather) {
        this.database = database;
        this.client = client;
        this.weather = weather;
        this.session = database.connect();
    }

    Session session() {
        return session;
    }

    boolean isBroken() {
        return broken;
    }

    /** Without a word to the server, which hears of it with the first statement. */
    void begin(Isolation isolation) {
        session.begin(isolation);
    }

    <T> T execute(String what, Supplier<T> statement) {
        return send(what, weather.ofStatement(), !session.isInTransaction(), statement);
    }

    void commit() {
        send("COMMIT", weather.ofCommit(), true, () -> {
            session.commit();
            return true;
        });
    }

    void rollback() {
        send("ROLLBACK", weather.ofStatement(), false, () -> {
            session.rollback();
            return true;
        });
    }

    private <T> T send(String what, Fate fate, boolean commits, Supplier<T> statement) {
        database.baton().handOver();
        if (broken) {
            throw new SqlFailure("08003: the connection is closed");
        }
        if (fate != Fate.APPLIED) {
            database.baton().trace().task(what + ": " + fate);
        }
        return switch (fate) {
            case APPLIED -> answer(statement.get());
            case REFUSED -> throw refused(commits);
            case LOST -> throw noticed(lost());
            case ANSWER_LOST -> {
                T unused = statement.get();
                throw noticed(lost());
            }
            case LATE_REQUEST -> {
                pause();
                yield answer(statement.get());
            }
            case LATE_ANSWER -> {
                T result = statement.get();
                pause();
                yield answer(result);
            }
            case APPLIED_AFTER_GIVING_UP -> throw commits ? givenUp(what, statement) : lost();
        };
    }

    private <T> T answer(T result) {
        database.baton().handOver();
        return result;
    }

    private SqlFailure refused(boolean commits) {
        if (commits) {
            session.rollback();
        } else {
            session.statementFailed();
        }
        return new SqlFailure("57014: canceling statement");
    }

    /** The server finds out at once, or when it has waited for long enough: until then the locks stay. */
    SqlFailure lost() {
        broken = true;
        session.orphan();
        Duration unnoticed = database.baton().chooseFrom(Duration.ZERO, Duration.ofMillis(500), weather.delay());
        database.baton().after(unnoticed, session::close);
        return new SqlFailure("08006: the connection is lost");
    }

    /** The client notices at once, or when it has waited for an answer for long enough. */
    private SqlFailure noticed(SqlFailure failure) {
        if (database.baton().chance(800)) {
            pause();
        }
        return failure;
    }

    private SqlFailure givenUp(String what, Supplier<?> statement) {
        broken = true;
        database.baton().startAfter(weather.delay(), what, database.server(), () -> {
            try {
                Object unused = statement.get();
            } catch (SqlFailure unheard) {
                // there is no client left to tell
            }
            session.close();
        });
        pause();
        return SqlFailure.noAnswerInTime();
    }

    private void pause() {
        database.baton().await(() -> false, client.after(weather.delay()));
    }

    /** Ends the session; a broken one ends by itself. */
    void close() {
        if (!broken) {
            session.close();
        }
    }
}
