package dev.resilience.spring.properties.value;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Ratios that are written as percent. */
public final class Percentages {

    private static final BigDecimal HUNDRED = new BigDecimal(100);

    private Percentages() {}

    /** {@code 0.5} for {@code 50} and {@code 50%}; {@code 0.5} and what is no number stay as they are. */
    public static String toRatio(String text) {
        boolean signed = text.strip().endsWith("%");
        String number = text.replace("%", "").strip();
        try {
            BigDecimal value = new BigDecimal(number);
            boolean percent = signed || value.compareTo(BigDecimal.ONE) > 0;
            return (percent ? value.divide(HUNDRED) : value)
                    .stripTrailingZeros()
                    .toPlainString();
        } catch (NumberFormatException none) {
            return text;
        }
    }

    /** What a text with a percent sign is as a ratio, or {@code null} if it has none. */
    static @Nullable String ofSigned(String text) {
        return text.strip().matches("\\d+(\\.\\d+)?\\s*%") ? toRatio(text) : null;
    }
}
