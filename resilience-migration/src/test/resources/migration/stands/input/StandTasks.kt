package com.acme.stands

import org.springframework.retry.annotation.Retryable

class StandTasks {
    @Retryable(maxAttempts = 3)
    fun run() {}
}
