package dev.resilience.sample.gateway;

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

    GatewayController(PaymentGateway gateway) {
        this.gateway = gateway;
    }

    @GetMapping("/behaviour")
    Behaviour behaviour() {
        return gateway.behaviour();
    }

    @PutMapping("/behaviour")
    Behaviour behave(@RequestBody Behaviour wanted) {
        gateway.behave(wanted);
        return gateway.behaviour();
    }

    @GetMapping("/charges")
    Ledger.Charges charges() {
        return gateway.charges();
    }

    /** Behaves well again and forgets all charges. */
    @PostMapping("/reset")
    void reset() {
        gateway.reset();
    }
}
