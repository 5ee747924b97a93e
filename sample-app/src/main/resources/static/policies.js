import { call, element, seconds } from './http.js';

/** The live state of the policies, from the actuator. */
const NAMES = { CLOSED: ['closed', 'ok'], OPEN: ['open', 'bad'], HALF_OPEN: ['half-open', 'wait'],
  FORCED_OPEN: ['forced open', 'bad'], DISABLED: ['disabled', 'wait'], METRICS_ONLY: ['metrics only', 'wait'] };
const byId = id => document.getElementById(id);
const set = (id, text) => { if (byId(id).textContent !== text) byId(id).textContent = text; };
let breaker;
let clockSkew = 0;

/** Small differences are the whole seconds of the Date header; larger ones are another machine's clock. */
function noteClock(headers) {
  const skew = Date.parse(headers.get('Date')) + 500 - Date.now();
  clockSkew = Math.abs(skew) > 2000 ? skew : 0;
}

function readBreaker({ state, policy, events = [] }) {
  const changed = events.find(event => event.type === 'state-changed')?.at;
  const since = Date.parse(state.since ?? changed);
  const open = seconds(policy['open-duration']) * 1000;
  const probe = Date.parse(state.nextProbe);
  const nextProbe = Number.isNaN(probe) ? since + open : probe;
  return { ...state, policy, since, nextProbe, period: Math.max(nextProbe - since, 1) };
}

function sentence(left) {
  const { policy } = breaker;
  switch (breaker.state) {
    case 'CLOSED': return ['Orders pass. ', `${policy['failure-threshold']} failed ones in a row open it.`];
    case 'OPEN': return left > 0 ? ['Orders are refused. The next probe may pass in ', element('strong', `${left.toFixed(1)} s`)]
      : ['Orders were refused. ', element('strong', 'The next order is the probe.')];
    case 'HALF_OPEN': return [`Probing: ${policy['half-open']['success-threshold']} good orders close it, a failed one opens it again.`];
    case 'FORCED_OPEN': return ['An operator has opened it: orders are refused.'];
    case 'METRICS_ONLY': return ['An operator has it only count: orders pass.'];
    default: return ['An operator has disabled it: orders pass.'];
  }
}

/** Several times a second; touches what has changed alone. */
export function countDown() {
  if (!breaker) return;
  const left = breaker.state === 'OPEN' && !breaker.probeDue
    ? Math.max(0, (breaker.nextProbe - Date.now() - clockSkew) / 1000) : 0;
  const parts = sentence(left);
  const text = parts.map(part => part.textContent ?? part).join('');
  if (byId('countdown').textContent !== text) byId('countdown').replaceChildren(...parts);
  byId('bar').style.width = `${Math.min(100, left * 100_000 / breaker.period)}%`;
}

function showBreaker() {
  const [name, kind] = NAMES[breaker.state];
  set('state', name);
  byId('state').className = `badge ${kind}`;
  const { calls } = breaker;
  const closed = breaker.state === 'CLOSED';
  const details = [
    ['Since', Number.isNaN(breaker.since) ? undefined : new Date(breaker.since).toLocaleTimeString('en-GB')],
    ['Orders', `${calls.success} good, ${calls.failure} failed, ${calls.rejected} refused`],
    ['Last failure', closed ? undefined : breaker.lastFailure?.split(':')[0].split('.').pop()],
    ['Failed probes', closed ? undefined : breaker.failedProbes],
    ['Reason', closed ? undefined : breaker.reason, 'wide'],
  ];
  byId('breaker-details').replaceChildren(...details.filter(([, value]) => value !== undefined).map(([term, value, width = '']) => {
    const row = element('div', '', width);
    row.append(element('dt', term), element('dd', String(value)));
    return row;
  }));
  countDown();
}

function showNumbers(charges, overview) {
  const retry = overview.retry.gateway.state;
  const { state: bulkhead, policy } = overview.bulkhead.gateway;
  set('charges', `${charges.count} (total ${charges.total})`);
  set('repeats', String(charges.repeats));
  set('saved', String(retry.calls.success_after_retry));
  set('retries', String(retry.attempts));
  set('replays', String(overview.idempotency.orders.state.calls.replayed));
  set('bulkhead', `${bulkhead.running} of ${bulkhead.limit} run, ${bulkhead.queued} of ${policy['max-queue']} wait`);
  byId('places').replaceChildren(
      ...Array.from({ length: bulkhead.limit }, (_, i) => element('i', '', i < bulkhead.running ? 'taken' : '')),
      ...Array.from({ length: policy['max-queue'] }, (_, i) => element('i', '', `queue ${i < bulkhead.queued ? 'taken' : ''}`)));
}

export async function refreshPolicies() {
  const [entry, overview, charges] = await Promise.all([
    call('/actuator/resilience/circuit-breaker/gateway'), call('/actuator/resilience'), call('/gateway/charges')]);
  noteClock(entry.headers);
  breaker = readBreaker(entry.answer);
  showBreaker();
  showNumbers(charges.answer, overview.answer);
}
