import { byId, set, sum } from './http.js';

/** This shop and its twin: the last minute, and what the difference is. */
const SECONDS = 60;
const NAMES = { CLOSED: ['closed', 'paid'], OPEN: ['open', 'failed'], HALF_OPEN: ['half-open', 'refused'],
  FORCED_OPEN: ['forced open', 'failed'], DISABLED: ['disabled', 'refused'], METRICS_ONLY: ['only counts', 'refused'] };
const LAYERS = ['paid', 'stored', 'retried', 'refused', 'failed'];
let breaker;
let clockSkew = 0;

function rectangle(parent, className, x) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  made.setAttribute('class', className);
  made.setAttribute('x', x);
  made.setAttribute('width', className === 'state' ? 1 : .8);
  return parent.appendChild(made);
}

/** A strip of sixty columns, each a stack of layers; the rectangles are made once. */
function strip(id, layers) {
  const svg = byId(id);
  svg.setAttribute('viewBox', `0 0 ${SECONDS} 1`);
  svg.setAttribute('preserveAspectRatio', 'none');
  const columns = Array.from({ length: SECONDS }, (_, x) => ({
    state: rectangle(svg, 'state', x), stack: layers.map(layer => [layer, rectangle(svg, layer, x)]) }));
  return (seconds, max, words) => {
    svg.setAttribute('aria-label', words);
    columns.forEach(({ state, stack }, x) => {
      const second = seconds[x - SECONDS + seconds.length] ?? {};
      state.setAttribute('height', 1);
      state.setAttribute('class', `state ${Object.keys(NAMES).find(name => second[name])}`);
      let y = 1;
      for (const [layer, bar] of stack) {
        const height = (second[layer] ?? 0) / max;
        y -= height;
        bar.setAttribute('y', y);
        bar.setAttribute('height', height);
      }
    });
  };
}

const strips = {
  shop: { orders: strip('shop-orders', LAYERS), calls: strip('shop-calls', ['calls']) },
  twin: { orders: strip('twin-orders', LAYERS), calls: strip('twin-calls', ['calls']) },
};

const inWords = seconds => `Last minute: ${sum(seconds, 'paid', 'stored')} paid, ${sum(seconds, 'retried')} paid after a retry, `
  + `${sum(seconds, 'refused')} refused, ${sum(seconds, 'failed')} failed`;

function duration(seconds, waiting) {
  const answered = sum(seconds, ...LAYERS);
  if (answered === 0) return waiting > 0 ? 'none comes' : '–';
  const mean = sum(seconds, 'millis') / answered;
  return mean < 1000 ? `${Math.round(mean)} ms` : `${(mean / 1000).toFixed(1)} s`;
}

/** Calls for each order of the last ten seconds. */
function ratio(seconds) {
  const orders = sum(seconds, 'orders');
  return orders === 0 ? '–' : (sum(seconds, 'calls') / orders).toFixed(1);
}

export function showComparison({ now, breaker: status, shop, twin }) {
  const maxOrders = 1.3 * Math.max(8, ...shop.seconds.map(second => second.orders ?? 0));
  const maxCalls = Math.max(20, ...[...shop.seconds, ...twin.seconds].map(second => second.calls ?? 0));
  for (const [id, { seconds, running, waiting, charges }] of Object.entries({ shop, twin })) {
    strips[id].orders(seconds, maxOrders, inWords(seconds));
    strips[id].calls(seconds, maxCalls, `Last minute: ${sum(seconds, 'calls')} calls, at most ${Math.max(0, ...seconds.map(second => second.calls ?? 0))} a second`);
    const latest = seconds.slice(-10);
    set(`${id}-ratio`, ratio(latest));
    byId(`${id}-ratio`).className = byId(`${id}-ratio`).textContent > 3 ? 'many' : '';
    set(`${id}-wait`, duration(seconds.slice(-3), running + waiting));
    set(`${id}-threads`, `${running} of ${id === 'shop' ? 4 : 40}${waiting > 0 ? `, ${waiting} ${waiting === 1 ? 'order' : 'orders'} queue` : ''}`);
    set(`${id}-doubles`, charges.doubles === 0 ? 'none' : `${charges.doubles} ${charges.doubles === 1 ? 'time' : 'times'}`);
  }
  breaker = status;
  clockSkew = Date.parse(now) - Date.now();
  const [name, kind] = NAMES[breaker.state];
  set('state', name);
  byId('state').className = `badge ${kind}`;
  countDown();
}

function sentence(left) {
  switch (breaker.state) {
    case 'CLOSED': return 'orders pass';
    case 'OPEN': return left > 0 ? `a probe in ${left.toFixed(1)} s` : 'next order probes';
    case 'HALF_OPEN': return `${breaker.probing?.succeeded ?? 0} of ${breaker.probing?.successThreshold ?? 2} probes good`;
    case 'FORCED_OPEN': return 'by an operator';
    default: return 'by an operator';
  }
}

/** Resolves as soon as the breaker lets an order pass. */
export async function breakerIsReady() {
  while (breaker?.state === 'OPEN' && Date.parse(breaker.nextProbe) > Date.now() + clockSkew) {
    await new Promise(resolve => { setTimeout(resolve, 200); });
  }
}

/** Several times a second. */
export function countDown() {
  if (!breaker || document.body.classList.contains('outdated')) return;
  set('countdown', sentence(breaker.probeDue ? 0 : (Date.parse(breaker.nextProbe) - Date.now() - clockSkew) / 1000));
}
