package dev.resilience.simulation;

import java.util.List;

/**
 * The mean of repeated measurements, and how far it is to be trusted.
 *
 * @param standardError the standard deviation of the mean
 */
record Sample(double mean, double standardError) {

    static Sample of(List<Double> values) {
        int n = values.size();
        double mean = values.stream().mapToDouble(value -> value).sum() / n;
        double squares = values.stream()
                .mapToDouble(value -> (value - mean) * (value - mean))
                .sum();
        return new Sample(mean, Math.sqrt(squares / (n - 1) / n));
    }

    /**
     * How far this mean is from somebody else's mean of as many measurements, in standard errors of the difference: the
     * other mean is as uncertain as this one.
     */
    double standardErrorsFrom(double other) {
        return (mean - other) / (Math.sqrt(2) * standardError);
    }
}
