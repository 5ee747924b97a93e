import { byId, call, seconds } from './http.js';

/** The faults of the payment gateway, and the load. */
const form = byId('behaviour');
const load = form.elements.load;
const inputs = [...form.querySelectorAll('input')].filter(input => input !== load);
const durations = ['latency', 'hang'];
export let changes = 0;
let sent = Promise.resolve();

function show(input) {
  if (input.type === 'checkbox') return;
  const { unit } = input.dataset;
  const text = input.name === 'capacity' && input.value === '0' ? 'any' : unit === '%' ? `${Math.round(input.value * 100)} %` : unit ? `${input.value} ${unit}` : input.value;
  input.setAttribute('aria-valuetext', text);
  input.parentElement.querySelector('.value').textContent = text;
}

function fill(behaviour) {
  for (const input of inputs) {
    const value = behaviour[input.name];
    if (input.type === 'checkbox') input.checked = value === true;
    else input.value = durations.includes(input.name) ? seconds(value) : value;
    show(input);
  }
  const broken = inputs.some(input => input.name !== 'retryAfterSeconds'
      && (input.type === 'checkbox' ? input.checked : Number(input.value) > 0));
  const health = byId('health');
  health.textContent = broken ? 'misbehaves' : 'works well';
  health.className = `badge ${broken ? 'failed' : 'paid'}`;
}

const wanted = () => Object.fromEntries(inputs.map(input => [input.name,
  input.type === 'checkbox' ? input.checked
    : durations.includes(input.name) ? `PT${input.value}S` : Number(input.value)]));

/** Changes are sent one after the other, because the one that arrives last is in force. */
function send(request) {
  changes++;
  sent = sent.catch(() => {}).then(request).catch(() => {}).then(() => {
    changes++;
    document.dispatchEvent(new Event('changed'));
  });
  return sent;
}

export const behave = behaviour => send(() => call('gateway/behaviour', { method: 'PUT', body: behaviour }));
export const setLoad = ordersPerSecond => send(() => call('show/load', { method: 'PUT', body: { ordersPerSecond } }));
export const operate = action => send(() => call('actuator/resilience/circuit-breaker/gateway', { method: 'POST', body: { action } }));

/** What an answer says is old if something has been changed here since it was asked for. */
export function showGateway({ behaviour, load: ordersPerSecond }, changesBefore) {
  if (changes !== changesBefore || form.querySelector('input:active')) return;
  fill(behaviour);
  load.value = ordersPerSecond;
  show(load);
}

form.addEventListener('input', event => { changes++; show(event.target); });
form.addEventListener('change', event => {
  if (event.target === load) setLoad(Number(load.value));
  else behave(wanted());
});
form.addEventListener('submit', event => event.preventDefault());
byId('mend').addEventListener('click', () => behave({}));
byId('force-open').addEventListener('click', () => operate('force-open'));
byId('reset').addEventListener('click', () => operate('reset'));
[load, ...inputs].forEach(show);
