package dev.resilience.spring.client;

import dev.resilience.policy.Require;
import java.net.URI;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.PatternMatchUtils;

/**
 * Which hosts an entry is for.
 *
 * @param host in lower case; a star stands for any characters
 * @param port {@code null} for all
 */
record HostPattern(String host, @Nullable String port) {

    private static final Pattern WRITTEN =
            Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\s/@:?#\\[\\]]+)(?::0*([1-9]\\d{0,4}))?");

    /** The more specific one is the greater. */
    static final Comparator<HostPattern> BY_PRECISION = Comparator.comparing(HostPattern::isName)
            .thenComparing(pattern -> pattern.host.replace("*", "").length())
            .thenComparing(pattern -> pattern.port != null);

    static HostPattern of(String written) {
        Matcher parts = WRITTEN.matcher(written);
        Require.that(
                parts.matches() && (parts.group(2) == null || Integer.parseInt(parts.group(2)) <= 65_535),
                "hosts",
                written,
                "must be a host without scheme and path, such as api.example.com, *.example.com or localhost:8080");
        return new HostPattern(parts.group(1).toLowerCase(Locale.ROOT), parts.group(2));
    }

    /** The host and port that a request goes to: also where the name has characters that are not allowed in one. */
    static @Nullable HostPattern hostOf(URI uri) {
        String authority = uri.getRawAuthority();
        Matcher parts = WRITTEN.matcher(authority == null ? "" : authority.substring(authority.lastIndexOf('@') + 1));
        String standard = "https".equalsIgnoreCase(uri.getScheme()) ? "443" : "80";
        return parts.matches()
                ? new HostPattern(
                        parts.group(1).toLowerCase(Locale.ROOT), parts.group(2) == null ? standard : parts.group(2))
                : null;
    }

    boolean matches(HostPattern request) {
        return (port == null || port.equals(request.port)) && PatternMatchUtils.simpleMatch(host, request.host);
    }

    /** Whether neither of two goes before the other for a host that both match. */
    boolean ties(HostPattern other) {
        return BY_PRECISION.compare(this, other) == 0
                && (port == null || port.equals(other.port))
                && haveCommon(host, other.host);
    }

    private boolean isName() {
        return !host.contains("*");
    }

    /** Whether there is a text that both match. */
    private static boolean haveCommon(String one, String other) {
        if (one.isEmpty() || other.isEmpty()) {
            return (one + other).replace("*", "").isEmpty();
        }
        if (one.charAt(0) == '*') {
            return haveCommon(one.substring(1), other) || haveCommon(one, other.substring(1));
        }
        return other.charAt(0) == '*'
                ? haveCommon(other, one)
                : one.charAt(0) == other.charAt(0) && haveCommon(one.substring(1), other.substring(1));
    }

    @Override
    public String toString() {
        return port == null ? host : host + ":" + port;
    }
}
