package dev.resilience.sample.gateway;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The switches of the gateway, on the shop's port so that they answer while the gateway does not. */
@RestController
@RequestMapping("/gateway")
class GatewayController {

    private final PaymentGateway gateway;
    private final PaymentGateway twin;

    /** The twin's gateway has the same faults. */
    GatewayController(PaymentGateway gateway, @Qualifier("twinGateway") PaymentGateway twin) {
        this.gateway = gateway;
        this.twin = twin;
    }

    @GetMapping("/behaviour")
    Behaviour behaviour() {
        return gateway.behaviour();
    }

    @PutMapping("/behaviour")
    Behaviour behave(@RequestBody Behaviour wanted) {
        gateway.behave(wanted);
        twin.behave(wanted);
        return gateway.behaviour();
    }

    @GetMapping("/charges")
    Charges charges() {
        return gateway.charges();
    }

    /** Behaves well again and forgets all charges. */
    @PostMapping("/reset")
    void reset() {
        gateway.reset();
        twin.reset();
    }
}
