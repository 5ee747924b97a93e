import { byId, call, clock, element, set } from './http.js';

/** Places orders, and lists what became of the latest ones, those of other pages and clients too. */
const order = { customer: 'Ada', item: 'Teapot', amount: 42 };
const LABELS = { paid: 'Paid', retried: 'Paid after a retry', stored: 'From the store', refused: 'Refused', failed: 'Failed' };
const SHOWN = 12;
const answers = byId('answers');
let lastKey;

export const tell = text => set('result', text);

export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

/** Sends an order; gives what became of it. */
export async function place(key = newKey()) {
  lastKey = key;
  let status = 0;
  let answer = { detail: 'the shop does not answer' };
  try {
    ({ status, answer } = await call('orders', { method: 'POST', body: order, headers: { 'Idempotency-Key': key } }));
  } catch {
    // shown as what it is: no answer
  }
  const story = (answer.story ?? [answer.detail ?? answer.title]).join('; ');
  return { placed: status === 201, refused: status === 503, result: `${status === 201 ? `Order ${answer.id}` : 'Not placed'}: ${story}.` };
}

/** The result is read aloud, so that of many orders is one sentence. */
export async function placeAndTell(key) {
  const { result } = await place(key);
  tell(result);
  document.dispatchEvent(new Event('changed'));
}

export async function placeTwenty() {
  tell('20 orders are on their way.');
  const all = await Promise.all(Array.from({ length: 20 }, () => place()));
  const placed = all.filter(one => one.placed).length;
  const refused = all.filter(one => one.refused).length;
  tell(`20 at once: ${placed} placed, ${refused} refused, ${20 - placed - refused} failed.`);
  document.dispatchEvent(new Event('changed'));
}

const sentence = text => text && `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function line({ outcome, status, story, order: address, first, last, count }) {
  const made = document.createElement('li');
  const what = count > 1 ? `${count} orders` : address ? `Order ${address.split('/').pop()}` : 'One order';
  const time = count > 1 && clock(first) !== clock(last) ? `${clock(first)} – ${clock(last)}` : clock(last);
  made.append(element('span', LABELS[outcome], `badge ${outcome}`), element('span', what, 'what'),
      element('time', `${status} at ${time}`), element('p', sentence(story), 'story'));
  return made;
}

let shown = '';
export function showOrders(orders) {
  const latest = orders.slice(0, SHOWN);
  const now = JSON.stringify(latest);
  if (now === shown) return;
  shown = now;
  answers.replaceChildren(...latest.map(line));
}

byId('one').addEventListener('click', () => placeAndTell());
byId('again').addEventListener('click', () => {
  if (lastKey) placeAndTell(lastKey);
  else tell('There is no order yet that could be sent again.');
});
byId('twenty').addEventListener('click', placeTwenty);
