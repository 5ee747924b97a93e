package dev.resilience.spring;

/** Something that was written cannot work. Fails the startup with a description of the place and with the cure. */
public final class ResilienceConfigurationException extends RuntimeException {

    private final String action;

    /**
     * @param description what is wrong and where: class and method, or property, value and origin
     * @param action what to do about it
     */
    public ResilienceConfigurationException(String description, String action) {
        super(description);
        this.action = action;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
