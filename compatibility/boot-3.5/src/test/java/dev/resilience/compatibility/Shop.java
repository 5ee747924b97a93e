package dev.resilience.compatibility;

import dev.resilience.annotation.Retryable;
import java.net.ConnectException;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;

@SpringBootApplication
class Shop {

    @Service
    static class Gateway {

        int calls;

        @Retryable("default")
        public String charge() throws ConnectException {
            calls++;
            throw new ConnectException("refused");
        }
    }
}
