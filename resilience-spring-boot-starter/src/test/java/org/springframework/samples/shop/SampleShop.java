package org.springframework.samples.shop;

import dev.resilience.annotation.Retryable;
import org.springframework.resilience.annotation.ConcurrencyLimit;

/** A bean of an application below Spring's own packages, as Petclinic is. */
public class SampleShop {

    @ConcurrencyLimit(3)
    public String order(String article) {
        return place(article);
    }

    @Retryable("two")
    public String place(String article) {
        return article;
    }
}
