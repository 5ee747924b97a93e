package com.acme.stands

import dev.resilience.annotation.Retryable

class StandTasks {
    @Retryable(maxAttempts = 3, multiplier = 1.0, retryUnknown = true)
    fun run() {}
}
