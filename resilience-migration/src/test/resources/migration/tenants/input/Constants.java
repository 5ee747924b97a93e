package com.acme.tenants;

public final class Constants {
    public static final int RETRIES_MAX = 10;
    public static final long RETRIES_DELAY = 100;

    private Constants() {}
}
