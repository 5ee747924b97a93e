package dev.resilience.spring.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** What the slices of this package's tests are slices of. */
@SpringBootApplication
class SliceApplication {}
