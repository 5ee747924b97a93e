#!/usr/bin/env bash
# Shows on the running application how an order is protected, in six scenes.
# Ends with 1 if a scene does not show what it says. Needs curl; SHOP_URL says where the shop is.
set -euo pipefail

shop="${SHOP_URL:-http://localhost:8080}"
run="$(date +%s)-$$" # so that a second run does not meet the keys of the first
files="$(mktemp -d)"
trap 'rm -rf "$files"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

call() { # METHOD PATH [JSON]
    curl -sS --fail -X "$1" "$shop$2" ${3:+-H 'Content-Type: application/json' -d "$3"}
}

gateway() { # JSON
    echo "   the gateway now behaves like this: $1"
    call PUT /gateway/behaviour "$1" >"$files/behaviour"
}

scene() { # TITLE
    printf '\n== %s\n' "$1"
    call POST /gateway/reset
    call POST /actuator/resilience/circuit-breaker/gateway '{"action":"reset"}' >"$files/breaker"
}

post_order() { # KEY AMOUNT FILE; leaves the answer in FILE.head and FILE.body
    curl -sS -o "$3.body" -D "$3.head" -X POST "$shop/orders" -H 'Content-Type: application/json' \
        -H "Idempotency-Key: $1-$run" -d "{\"customer\":\"Ada\",\"item\":\"Teapot\",\"amount\":$2}"
}

status_of() { # FILE
    local protocol status rest
    read -r protocol status rest <"$1.head"
    echo "${status%$'\r'}"
}

retry_after_of() { # FILE; prints nothing if there is no such header
    local name value
    while IFS=': ' read -r name value; do
        case "$name" in [Rr]etry-[Aa]fter) echo "${value%$'\r'}" ;; esac
    done <"$1.head"
}

show() { # FILE
    local retry_after
    retry_after="$(retry_after_of "$1")"
    echo "   -> $(status_of "$1")${retry_after:+, Retry-After: $retry_after}, $(<"$1.body")"
}

order() { # KEY EXPECTED_STATUS [AMOUNT]
    echo "   POST /orders, Idempotency-Key: $1, amount ${3:-42}"
    post_order "$1" "${3:-42}" "$files/order"
    show "$files/order"
    [[ "$(status_of "$files/order")" == "$2" ]] || fail "the answer should be a $2"
}

expect_problem() { # FILE KIND
    [[ "$(<"$1.body")" == *"urn:resilience:problem:$2"* ]] || fail "the problem should be $2"
    [[ -n "$(retry_after_of "$1")" ]] || fail "Retry-After is missing"
}

expect_charges() { # COUNT
    local charges
    charges="$(call GET /gateway/charges)"
    echo "   the gateway has charged: $charges"
    [[ "$charges" == *"\"count\":$1,"* ]] || fail "there should be $1 charges"
}

expect_repeats() { # COUNT; calls that the gateway did not charge again, because their key had paid before
    [[ "$(call GET /gateway/charges)" == *"\"repeats\":$1}"* ]] || fail "there should be $1 repeated calls"
}

expect_story() { # FILE TEXT
    [[ "$(<"$1.body")" == *"$2"* ]] || fail "the story should say: $2"
}

expect_breaker() { # STATE
    [[ "$(call GET /actuator/resilience/circuit-breaker/gateway)" =~ \"state\":\"([A-Z_]+)\" ]] ||
        fail "the circuit breaker has no state"
    echo "   the circuit breaker is ${BASH_REMATCH[1]}"
    [[ "${BASH_REMATCH[1]}" == "$1" ]] || fail "the circuit breaker should be $1"
}

retries() {
    [[ "$(call GET '/actuator/metrics/resilience.retry.attempts?tag=name:gateway')" =~ \"value\":([0-9]+) ]] ||
        fail "the metric has no value"
    echo "${BASH_REMATCH[1]}"
}

call GET /actuator/health >"$files/health" || fail "no shop at $shop; start it with: mvn -Psample"

scene "1. A transient fault is retried away: the gateway fails twice, the customer does not notice"
before="$(retries)"
gateway '{"failNext":2}'
order fault 201
made=$(($(retries) - before))
echo "   retries made: $made"
[[ "$made" == 2 ]] || fail "there should be 2 retries"
expect_story "$files/order" "3 attempts: 503, 503, then paid"
expect_charges 1

scene "2. The gateway is down: three failed orders open the circuit breaker, which refuses the fourth at once"
gateway '{"refuse":true}'
order down-1 502
order down-2 502
order down-3 502
expect_breaker OPEN
order down-4 503
expect_problem "$files/order" circuit-open
expect_story "$files/order" "refused by the circuit breaker"

retry_after="$(retry_after_of "$files/order")"
printf '\n== %s\n' "3. The gateway recovers: after $retry_after s two good orders close the circuit breaker"
gateway '{}'
sleep "$retry_after"
order down-4 201
expect_breaker HALF_OPEN
order up-1 201
expect_breaker CLOSED
expect_charges 2

scene "4. Under load the bulkhead lets 4 orders run and 1 wait for half a second, and refuses the others"
gateway '{"latency":"PT1S"}'
echo "   POST /orders, 20 at once"
calls=()
for i in {1..20}; do
    post_order "load-$i" 42 "$files/load-$i" &
    calls+=($!)
done
wait "${calls[@]}"
placed=0
refused=0
for i in {1..20}; do
    case "$(status_of "$files/load-$i")" in
        201) placed=$((placed + 1)) ;;
        503) refused=$((refused + 1)) last_refused="$files/load-$i" ;;
    esac
done
echo "   placed: $placed, refused: $refused"
[[ "$placed" -ge 4 && "$refused" -gt 0 && $((placed + refused)) == 20 ]] ||
    fail "4 or more should be placed, the others refused"
show "$last_refused"
expect_problem "$last_refused" bulkhead-full
expect_charges "$placed"

scene "5. The same Idempotency-Key places one order, however often it is sent"
order same 201
first="$(<"$files/order.body")"
order same 201
expect_story "$files/order" "answered from the store, nothing charged"
[[ "$(<"$files/order.body")" == "${first%%,\"story\"*},"* ]] || fail "both answers should have the same order"
order same 422 43
expect_charges 1
expect_repeats 0

scene "6. The gateway charges, but its answers are lost: every attempt sends the same key, so it charges once"
gateway '{"loseNext":2}'
order lost 201
expect_story "$files/order" "3 attempts: connection lost, connection lost, then paid"
expect_charges 1
expect_repeats 2

printf '\nAll six scenes showed what they said.\n'
