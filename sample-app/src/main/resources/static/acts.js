import { set, sum } from './http.js';

/** Which annotation has just acted: its line is lit. */
const KINDS = {
  idempotency: '@Idempotent knows the key',
  bulkhead: '@Bulkhead queues or refuses',
  'circuit-breaker': '@CircuitBreaker opens, closes or refuses',
  retry: '@Retryable calls again',
};

/** A key acts at the gateway as well: there the shop's calls that come again are not charged. */
let repeats;
let repeated = 0;

export function showActs({ seconds, charges }) {
  if (charges.repeats > repeats) repeated = performance.now();
  const atTheGateway = repeated > 0 && performance.now() < repeated + 2000 ? 1 : 0;
  repeats = charges.repeats;
  const now = [...seconds.slice(-2), { idempotency: atTheGateway }];
  const sentences = [];
  for (const [kind, sentence] of Object.entries(KINDS)) {
    const count = sum(now, kind);
    if (count > 0) sentences.push(`${sentence} (${count})`);
    for (const line of document.querySelectorAll(`[data-kind=${kind}]`)) line.classList.toggle('lit', count > 0);
  }
  set('acts', sentences.length > 0 ? `Just now: ${sentences.join(', ')}.` : 'Just now none of them had to act.');
}
