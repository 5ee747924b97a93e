import { call, element } from './http.js';

/** Places orders, and tells what happened to each. */
const SHOWN = 40;
const TRAFFIC_MS = 60_000;
const order = { customer: 'Ada', item: 'Teapot', amount: 42 };
const answers = document.getElementById('answers');
const result = document.getElementById('result');
const traffic = document.getElementById('traffic');
let lastKey;
let underWay = 0;
let stopTraffic;

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

function judge(status, story) {
  if (status === 201) {
    return story.some(sentence => sentence.startsWith('answered from the store')) ? ['From the store', 'info'] : ['Paid', 'ok'];
  }
  if (status === 402) return ['Declined', 'bad'];
  return [409, 422, 503].includes(status) ? ['Refused', 'wait'] : ['Failed', 'bad'];
}

/** Sends an order and puts it on the list; gives what became of it. */
async function place(key = newKey()) {
  lastKey = key;
  underWay++;
  let status = 0;
  let answer = { detail: 'the shop does not answer' };
  try {
    ({ status, answer } = await call('/orders', { method: 'POST', body: order, headers: { 'Idempotency-Key': key } }));
  } catch {
    // shown as what it is: no answer
  } finally {
    underWay--;
  }
  const [verdict, kind] = judge(status, answer.story ?? []);
  const what = status === 201 ? `Order ${answer.id}` : 'Not placed';
  const story = (answer.story ?? [answer.detail ?? answer.title]).join('; ');
  show(verdict, kind, status === 201 ? `${what}, ${answer.paymentId}` : what, status, story);
  return { verdict, told: `${what}: ${story}.` };
}

const sentence = text => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function show(verdict, kind, what, status, story) {
  const line = document.createElement('li');
  line.append(element('span', verdict, `badge ${kind}`), element('span', what, 'what'),
      element('time', `${status || 'no answer'} at ${new Date().toLocaleTimeString('en-GB')}`), element('p', sentence(story), 'story'));
  answers.prepend(line);
  while (answers.children.length > SHOWN) answers.lastChild.remove();
}

const tell = text => { result.textContent = text; };

/** The result is read aloud, so that of many orders is one sentence. */
async function placeAndTell(key) {
  tell((await place(key)).told);
  document.dispatchEvent(new Event('answered'));
}

function sendAgain() {
  if (lastKey) placeAndTell(lastKey);
  else tell('There is no order yet that could be sent again.');
}

async function placeTwenty() {
  tell('20 orders are on their way.');
  const all = await Promise.all(Array.from({ length: 20 }, () => place()));
  const counts = new Map();
  for (const { verdict } of all) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  tell(`20 at once: ${[...counts].map(([verdict, count]) => `${count} ${verdict.toLowerCase()}`).join(', ')}.`);
}

/** Four orders a second, at most three of them at a time, for a minute. */
function toggleTraffic() {
  if (stopTraffic) {
    stopTraffic();
    return;
  }
  const sending = setInterval(() => { if (underWay < 3) place(); }, 250);
  const ending = setTimeout(() => stopTraffic?.(), TRAFFIC_MS);
  stopTraffic = () => {
    clearInterval(sending);
    clearTimeout(ending);
    stopTraffic = undefined;
    traffic.setAttribute('aria-pressed', 'false');
    tell('Steady traffic has stopped.');
  };
  traffic.setAttribute('aria-pressed', 'true');
  tell('Steady traffic: four orders a second for a minute.');
}

document.getElementById('one').addEventListener('click', () => placeAndTell());
document.getElementById('again').addEventListener('click', sendAgain);
document.getElementById('twenty').addEventListener('click', placeTwenty);
traffic.addEventListener('click', toggleTraffic);
