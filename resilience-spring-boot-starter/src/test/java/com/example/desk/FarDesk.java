package com.example.desk;

/** Has methods that only classes of its package, or its subclasses, may call. */
public class FarDesk {

    String inPackage(String what) {
        return "far " + what;
    }

    protected String forSubclasses(String what) {
        return "far " + what;
    }
}
