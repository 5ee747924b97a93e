import { call, seconds } from './http.js';

/** The switches of the payment gateway. */
const form = document.getElementById('behaviour');
const inputs = [...form.querySelectorAll('input')];
const durations = ['latency', 'hang'];
let changes = 0;
let sent = Promise.resolve();

function show(input) {
  if (input.type === 'checkbox') return;
  const { unit } = input.dataset;
  const text = unit === '%' ? `${Math.round(input.value * 100)} %` : unit ? `${input.value} ${unit}` : input.value;
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
  const health = document.getElementById('health');
  health.textContent = broken ? 'misbehaves' : 'works well';
  health.className = `badge ${broken ? 'bad' : 'ok'}`;
}

function wanted() {
  return Object.fromEntries(inputs.map(input => [input.name,
    input.type === 'checkbox' ? input.checked
      : durations.includes(input.name) ? `PT${input.value}S` : Number(input.value)]));
}

/** Changes are sent one after the other, because the one that arrives last is in force. */
async function behave(behaviour) {
  const change = ++changes;
  sent = sent.catch(() => {}).then(() => call('/gateway/behaviour', { method: 'PUT', body: behaviour }));
  const { answer } = await sent;
  if (change === changes) fill(answer);
}

/** Shows the behaviour in force, unless it has been changed here meanwhile or is about to be. */
export async function refreshGateway() {
  const change = changes;
  const { answer } = await call('/gateway/behaviour');
  if (change === changes && !form.querySelector('input:active')) fill(answer);
}

form.addEventListener('input', event => { changes++; show(event.target); });
form.addEventListener('change', () => behave(wanted()));
form.addEventListener('submit', event => event.preventDefault());
document.getElementById('mend').addEventListener('click', () => behave({}));
inputs.forEach(show);
