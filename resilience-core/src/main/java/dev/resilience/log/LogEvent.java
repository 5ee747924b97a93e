package dev.resilience.log;

/** What the log of a policy tells of; implemented by one enum a kind. */
public interface LogEvent {

    /** How it is told. */
    LogLine line();
}
