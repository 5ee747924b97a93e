package dev.resilience.spring;

/** What a mistake is about. In the order in which mistakes explain each other: a misspelt key comes first. */
public enum MistakeKind {
    KEYS("Keys"),
    POLICIES("Policies and what they start from"),
    VALUES("Values"),
    POLICY_NAMES("Policy names in annotations"),
    METHODS("Annotated methods");

    private final String heading;

    MistakeKind(String heading) {
        this.heading = heading;
    }

    String heading() {
        return heading;
    }
}
