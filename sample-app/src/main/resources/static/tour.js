import { behave, operate, setLoad } from './gateway.js';
import { byId, element, set, sum } from './http.js';

/** A guided outage of a minute: each scene says what happens, and why. */
const SCENES = [
  { seconds: 5, gateway: {}, title: 'All is well',
    text: 'Ten customers a second order a teapot. Each shop calls its gateway once for each of them, and they look alike.' },
  { seconds: 9, gateway: { errorRate: .3 }, title: 'Every third call fails',
    text: '@Retryable calls again after a short random wait, so customers notice nothing. The twin calls again too: so far, both are fine.' },
  { seconds: 15, gateway: { refuse: true }, title: 'The gateway is down',
    text: 'Three failed orders open the @CircuitBreaker: it refuses at once and leaves the gateway alone. The twin calls 27 times for each order, and its customers wait in vain.' },
  { seconds: 13, gateway: { capacity: 20 }, title: 'The gateway is back, and weak',
    text: 'It can take 20 calls a second. The breaker lets one probe through, then all ten orders a second: they are paid. The retries of the twin keep its gateway down.' },
  { seconds: 9, gateway: { hang: 'PT4S' }, title: 'The gateway hangs',
    text: 'No call gets an answer. @Bulkhead lets 4 wait and refuses the others at once, so this shop stays quick. In the twin all 40 threads wait: there, nothing works any more.' },
  { seconds: 9, gateway: { loseNext: 2 }, everySecond: true, title: 'Answers get lost',
    text: 'The gateway charges, but its answer never arrives. With @Idempotent the next attempt has the same key and is not charged again. The twin charges them twice. (An operator has reset the breaker.)' },
];
const TOTAL = SCENES.reduce((all, scene) => all + scene.seconds, 0);
const start = byId('start');
let began;
let before;
let current;
let behaved;

byId('steps').append(...SCENES.map(scene => {
  const step = element('li', '');
  step.style.flexGrow = scene.seconds;
  step.append(element('i', ''));
  return step;
}));

export function tellScene(title, text) {
  set('scene-title', title);
  set('scene-text', text);
}

/** Which scene it is after so many seconds. */
function sceneAt(elapsed) {
  let end = 0;
  return SCENES.findIndex(scene => (end += scene.seconds) > elapsed);
}

function showSteps(elapsed) {
  let before = 0;
  [...byId('steps').children].forEach((step, i) => {
    step.firstChild.style.width = `${100 * Math.min(1, Math.max(0, (elapsed - before) / SCENES[i].seconds))}%`;
    before += SCENES[i].seconds;
  });
}

function begin() {
  began = performance.now();
  before = latest;
  current = undefined;
  operate('reset');
  setLoad(10);
  step();
}

function end() {
  began = undefined;
  behave(before.behaviour);
  setLoad(before.load);
  operate('reset');
  start.textContent = 'Start the outage: 60 s';
  start.removeAttribute('aria-pressed');
}

/** Goes on with each answer of the shop, so that a shop that is gone ends nothing. */
let latest;
export function goOn(answer) {
  latest = answer;
  if (began !== undefined) step();
}

function step() {
  const elapsed = (performance.now() - began) / 1000;
  const now = sceneAt(elapsed);
  showSteps(elapsed);
  if (now < 0) {
    end();
    tellScene('What a minute of trouble costs', summary());
    return;
  }
  const scene = SCENES[now];
  start.textContent = `Stop it (${Math.max(1, Math.ceil(TOTAL - elapsed))} s left)`;
  start.setAttribute('aria-pressed', 'true');
  if (now !== current) {
    tellScene(`${now + 1}. ${scene.title}`, scene.text);
  }
  if (scene.everySecond && now === current && latest.breaker.state !== 'CLOSED') operate('reset');
  if (now !== current || (scene.everySecond && elapsed > behaved + 1)) {
    behaved = elapsed;
    behave(scene.gateway);
  }
  current = now;
}

function summary() {
  const side = ({ seconds, charges }) => `${sum(seconds, 'paid', 'retried', 'stored')} of ${sum(seconds, 'orders')} orders paid, `
    + `${Math.max(...seconds.map(second => second.calls ?? 0))} calls in the worst second, ${charges.doubles || 'none'} charged twice`;
  return `This shop: ${side(latest.shop)}. The twin: ${side(latest.twin)}. The switches are back: now break it yourself.`;
}

start.addEventListener('click', () => {
  if (began === undefined) {
    if (latest) begin();
    return;
  }
  end();
  showSteps(0);
  tellScene('A guided outage', 'Stopped; the switches are back.');
});
addEventListener('pagehide', () => { if (began !== undefined) end(); });
