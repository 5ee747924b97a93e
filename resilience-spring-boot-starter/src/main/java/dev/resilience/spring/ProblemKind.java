package dev.resilience.spring;

/** What a problem is about. In the order in which problems explain each other: a misspelt key comes first. */
public enum ProblemKind {
    KEYS("Keys"),
    POLICIES("Policies and what they start from"),
    VALUES("Values"),
    POLICY_NAMES("Policy names in annotations"),
    METHODS("Annotated methods");

    private final String heading;

    ProblemKind(String heading) {
        this.heading = heading;
    }

    String heading() {
        return heading;
    }
}
