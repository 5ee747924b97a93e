package dev.resilience.spring.benchmark;

/** What all the measured beans have in common. */
class Shop {

    private final Object receipt = new Object();

    public Object sell(String item, int amount) {
        return receipt;
    }
}
