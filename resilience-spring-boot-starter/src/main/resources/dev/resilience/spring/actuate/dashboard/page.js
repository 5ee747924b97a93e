/*
 * Shows what the application's policies do, from what `data` beside this file answers once a second. The page knows forms of
 * values (FORMS), and no kind of policy: each kind describes by `shown` which of its values are shown, and in which form.
 * Names and messages are only ever put into text nodes, so that markup in them is text.
 */

const POLL = 1000, SLOWEST_POLL = 30_000, TIMEOUT = 10_000;
const POINTS = 300; // that are kept of each line
const SPANS = [60, 120, 300]; // seconds that are drawn: the shortest that has all
const GAP = 5; // seconds without an answer, over which no line is drawn
const MAX_TROUBLES = 12, MAX_EVENTS = 100, EVENTS_OF_POLICY = 15;
const DETAILS_EVERY = 5000;

const $ = id => document.getElementById(id);

/** An element with properties and children; texts become text nodes. */
function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && typeof value !== 'string') element[name] = value;
    else element.setAttribute(name === 'className' ? 'class' : name, value);
  }
  element.append(...children);
  return element;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// ---- words, numbers and times

const words = id => String(id).replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_]/g, ' ').toLowerCase();
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const large = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' });
const number = value => (Math.abs(value) < 10_000 ? small : large).format(value);
const percent = share => `${number(Math.round(share * 1000) / 10)} %`;
const perSecond = rate => `${number(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))}/s`;
const time = millis => {
  const date = new Date(millis), isFar = Math.abs(millis - serverNow()) > 12 * 3_600_000;
  return `${isFar ? `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ` : ''}${date.toLocaleTimeString('en-GB')}`;
};
const TIME = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/; // as in ISO-8601, but for days and negative ones
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function duration(millis) {
  if (millis > 0 && millis < 1000) return `${number(millis)} ms`;
  const seconds = Math.max(0, Math.round(millis / 1000)), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  const two = (many, unit, few, smaller) => `${many} ${unit}${few ? ` ${few} ${smaller}` : ''}`;
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return two(minutes, 'min', minutes < 10 ? seconds % 60 : 0, 's');
  return hours < 48 ? two(hours, 'h', minutes % 60, 'min') : `${Math.floor(hours / 24)} days`;
}

/** Any value of an entry as a text. */
function textOf(value) {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(textOf).join(', ') || '–';
  if (typeof value === 'object') return Object.entries(value).map(([key, of]) => `${key} ${textOf(of)}`).join(', ') || '–';
  if (MOMENT.test(value)) return time(Date.parse(value));
  const [, hours, minutes, seconds] = TIME.exec(value) ?? [];
  return hours || minutes || seconds ? duration(((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000) : String(value);
}

/** The values of an object by dotted key. */
function flat(object, prefix = '') {
  return Object.entries(object ?? {}).flatMap(([key, value]) =>
    value && typeof value === 'object' && !Array.isArray(value) ? flat(value, `${prefix}${key}.`) : [[prefix + key, value]]);
}

// ---- what is known

const app = { instance: null, seen: new Set(), last: 0, endpoint: null, base: '', writeable: false, serverTime: 0, receivedAt: 0 };
const kinds = new Map(); // by id
const seconds = new Float64Array(POINTS); // when the last answers were made, by a clock of the server that nothing sets
let position = -1, answers = 0, span = SPANS[0];

const serverNow = () => app.serverTime + (performance.now() - app.receivedAt);

/** The last values of one thing, at the same positions as `seconds`. */
class Line {
  values = new Float32Array(POINTS).fill(NaN);

  add(value) {
    this.values[position] = value ?? NaN;
  }

  /** The path in a box of 300 by 100, and what its height stands for. */
  draw(height) {
    const now = seconds[position], count = Math.min(answers, POINTS);
    let max = height ?? 0, path = '', before = -Infinity;
    if (!height) for (const value of this.values) if (value > max) max = value;
    max ||= 1;
    for (let i = POINTS - count + 1; i <= POINTS; i++) {
      const at = (position + i) % POINTS, age = now - seconds[at], value = this.values[at];
      if (age > span || Number.isNaN(value)) continue;
      const y = Math.max(0, Math.min(100, 100 - value / max * 100));
      path += `${age > before - GAP ? 'L' : 'M'}${((span - age) / span * 300).toFixed(1)} ${y.toFixed(1)}`;
      before = age;
    }
    return { path: path.replace(/^L/, 'M'), max };
  }
}

/*
 * The forms. `take` gets the value, the last answer's seconds and what the form remembers of this value, and may return the
 * number of the moment; `text` is what is shown. `max` is the height of the line, if it is not that of its highest point.
 */
const count = (memory, key, value, elapsed) => {
  const before = memory.counts[key];
  memory.counts[key] = value;
  return before === undefined || value < before || elapsed <= 0 ? null : value - before;
};
const memory = () => ({ counts: {}, rates: {}, total: 0, unusual: 0, part: 0, whole: 0 });

const FORMS = {
  STATE: { text: value => words(value), badge: true },
  TEXT: { text: value => textOf(value), isLong: true },
  AMOUNT: { take: value => value, text: value => number(value) },
  SHARE: { take: value => value, text: value => percent(value), max: () => 1 },
  LEVEL: { take: ([value]) => value, text: ([value, of]) => `${number(value)} of ${number(of)}`, max: ([, of]) => of || 1 },
  RATE: {
    width: 1.8,
    take(value, elapsed, own) {
      const counts = typeof value === 'object' ? value : { all: value };
      let total = null, unusual = 0;
      Object.entries(counts).forEach(([outcome, counted], i) => {
        const more = count(own, outcome, counted, elapsed);
        if (more === null) return;
        const rate = more / elapsed, smooth = own.rates[outcome] ?? rate;
        own.rates[outcome] = Math.abs(rate - smooth) < .02 ? rate : smooth + (rate - smooth) * .4;
        total = (total ?? 0) + rate;
        if (i > 0) unusual += rate;
      });
      own.unusual = unusual;
      return total;
    },
    text(value, own) {
      const rates = Object.entries(own.rates);
      const total = rates.reduce((sum, [, rate]) => sum + rate, 0);
      const others = rates.slice(1).filter(([, rate]) => rate >= .05).map(([outcome, rate]) => `${perSecond(rate)} ${words(outcome)}`);
      return [perSecond(total), ...others].join(' · ');
    },
    second: own => own.unusual,
  },
  RATIO: {
    take([part, whole], elapsed, own) {
      const more = count(own, 'part', part, elapsed), of = count(own, 'whole', whole, elapsed), fade = .98 ** elapsed;
      own.part = own.part * fade + (more ?? 0);
      own.whole = own.whole * fade + (of ?? 0);
      return own.whole < .2 ? null : Math.min(1, own.part / own.whole);
    },
    text: (value, own) => (own.whole < .2 ? '–' : percent(Math.min(1, own.part / own.whole))),
    max: () => 1,
  },
  SINCE: { width: .8, isTime: true, text: value => duration(serverNow() - Date.parse(value)), title: value => `since ${time(Date.parse(value))}` },
  UNTIL: {
    width: .8,
    isTime: true,
    text: value => (Date.parse(value) > serverNow() ? `in ${duration(Date.parse(value) - serverNow())}` : 'now'),
    title: value => time(Date.parse(value)),
  },
};
const formOf = shown => FORMS[shown.as] ?? FORMS.TEXT;

/** How the values of a kind that describes none are shown. */
function described(key, value) {
  const as = typeof value === 'number' ? 'AMOUNT'
    : value && typeof value === 'object' && Object.values(value).every(of => typeof of === 'number') ? 'RATE'
      : typeof value === 'boolean' || /^\S{1,20}$/.test(value) ? 'STATE' : 'TEXT';
  return { label: words(key), path: key, as };
}

/** One policy: its values, their lines, and the list entry that shows them. */
class Policy {
  constructor(kind, name) {
    Object.assign(this, { kind, name, memories: [], lines: [], entry: {}, isSeen: false, troubleSince: null });
    this.key = `${kind.id}/${name}`;
    this.row = new Row(this);
  }

  get title() {
    return `${capital(kind_title(this.kind))} ${this.name}`;
  }

  take(entry, elapsed) {
    this.entry = entry;
    this.troubleSince = entry.trouble ? this.troubleSince ?? app.serverTime : null;
    this.values = this.kind.shown.map((shown, i) => {
      let value = Array.isArray(entry.values) ? entry.values[i] : entry.values?.[shown.path];
      if (shown.of && value?.[0] === null) value = null;
      const form = formOf(shown);
      if (form.take) {
        const own = this.memories[i] ??= memory(), known = value !== null && value !== undefined;
        (this.lines[i] ??= new Line()).add(known ? form.take(value, elapsed, own) : null);
        if (form.second) (this.lines[`${i}b`] ??= new Line()).add(known ? form.second(own) : null);
      }
      return value;
    });
  }

  /** The shown values that are there, with how to show them. */
  shown() {
    return this.kind.shown.flatMap((shown, i) => {
      const value = this.values?.[i], form = formOf(shown);
      if (value === null || value === undefined) return [];
      return [{ i, shown, form, value, text: form.text(value, this.memories[i]), title: form.title?.(value) ?? '' }];
    });
  }
}

const kind_title = kind => words(kind.id).replace(/\bhttp\b/, 'HTTP');

// ---- drawing

const SVG = 'http://www.w3.org/2000/svg';

function chart(className) {
  const svg = document.createElementNS(SVG, 'svg'), paths = ['usual', 'unusual'].map(name => {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', name);
    return path;
  });
  svg.setAttribute('viewBox', '0 -4 300 108');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  svg.append(...paths);
  return {
    svg,
    draw(policy, { i, form, value }) {
      const line = policy.lines[i].draw(form.max?.(value)), second = policy.lines[`${i}b`];
      paths[0].setAttribute('d', line.path);
      if (second) paths[1].setAttribute('d', second.draw(line.max).path);
      return line.max;
    },
  };
}

/** A value in its form: a badge or a text, with a line if it has one. */
class Cell {
  constructor(shown, chartClass) {
    const form = formOf(shown);
    this.value = el('span', { className: form.badge ? 'badge' : 'value' });
    this.chart = form.take ? chart(chartClass) : null;
    this.element = el('div', { className: `cell ${shown.as.toLowerCase()}` },
      el('span', { className: 'label' }, shown.label), this.value, ...(this.chart ? [this.chart.svg] : []));
  }

  show(policy, found) {
    this.element.classList.toggle('empty', !found);
    setText(this.value, found ? found.text : '');
    this.value.title = found?.title ?? '';
    if (this.chart && found) this.max = this.chart.draw(policy, found);
  }
}

/** One line of the list, which opens to details. Its cells are made when it is first seen. */
class Row {
  constructor(policy) {
    this.policy = policy;
    this.details = null;
    this.marks = el('span', { className: 'marks' });
    this.button = el('button', { type: 'button', className: 'name', 'aria-expanded': 'false' }, el('span', {}, policy.name), this.marks);
    this.button.addEventListener('click', () => this.toggle());
    this.line = el('div', { className: 'line' }, this.button);
    this.element = el('li', { className: 'row' }, this.line);
    this.element.row = this;
    visible.observe(this.element);
  }

  render() {
    const { policy } = this, { entry } = policy;
    this.element.classList.toggle('troubled', Boolean(entry.trouble));
    const marks = [entry.trouble && 'trouble', entry.off && 'switched off', entry.changed && 'changed', entry.problem && 'unreadable'];
    setText(this.marks, marks.filter(Boolean).join(', '));
    if (entry.problem) {
      this.problem ??= this.line.appendChild(el('p', { className: 'problem' }));
      setText(this.problem, `It cannot be shown: ${entry.problem}`);
      return;
    }
    this.problem?.remove();
    this.problem = null;
    const { columns } = policy.kind;
    if (this.columns !== columns) {
      this.cells?.forEach(([, cell]) => cell.element.remove());
      this.cells = columns.map(i => [i, new Cell(policy.kind.shown[i], 'spark')]);
      this.line.append(...this.cells.map(([, cell]) => cell.element));
      this.columns = columns;
    }
    const shown = policy.shown();
    for (const [i, cell] of this.cells) cell.show(policy, shown.find(found => found.i === i));
    if (this.details) this.details.render(shown);
  }

  toggle(open = !this.details) {
    this.button.setAttribute('aria-expanded', String(open));
    if (open && !this.details) {
      this.details = new Details(this.policy);
      this.element.append(this.details.element);
      this.details.load();
    } else if (!open) {
      this.details?.element.remove();
      this.details = null;
    }
    this.render();
  }

  /** Opens it, and brings it there whatever is filtered or folded. */
  reveal() {
    clearFilter();
    const folded = this.element.closest('details');
    if (folded) folded.open = true;
    this.toggle(true);
    this.element.scrollIntoView({ block: 'center' });
    this.button.focus({ preventScroll: true });
  }
}

/** Only what can be seen is drawn. */
const visible = new IntersectionObserver(changes => {
  for (const { target, isIntersecting } of changes) {
    const { row } = target;
    row.policy.isSeen = isIntersecting;
    if (isIntersecting) row.render();
  }
}, { rootMargin: '200px' });

// ---- details of a policy, and what operators do

class Details {
  constructor(policy) {
    this.policy = policy;
    this.loadedAt = -Infinity;
    this.cells = policy.kind.shown.map(shown => new Cell(shown, 'chart'));
    this.static = el('div', { className: 'entry' }, el('p', { className: 'muted' }, 'Loading …'));
    this.actions = el('div', { className: 'actions' });
    this.element = el('div', { className: 'details', role: 'group', 'aria-label': `Details of ${policy.title}` },
      el('div', { className: 'facts' }, ...this.cells.map(cell => cell.element)), this.actions, this.static);
  }

  render(shown) {
    this.cells.forEach((cell, i) => {
      const found = shown.find(one => one.i === i);
      cell.show(this.policy, found);
      cell.element.hidden = !found;
      if (cell.max) cell.element.dataset.max = found?.form.max ? '' : `up to ${number(cell.max)}, ${duration(span * 1000)}`;
    });
    if (performance.now() - this.loadedAt > DETAILS_EVERY) this.load();
  }

  async load() {
    this.loadedAt = performance.now();
    const { kind, name } = this.policy;
    if (!app.endpoint) {
      this.say(NOT_EXPOSED);
      return;
    }
    try {
      this.show(await ask(path(kind.id, name)));
    } catch (failed) {
      try {
        if (!/[^\w .-]|^\.+$/.test(name)) throw failed;
        this.show((await ask(path(kind.id)))[name] ?? {}); // many servers refuse a slash and the like in a name
      } catch {
        this.say(failed.message);
      }
    }
  }

  say(text) {
    this.static.replaceChildren(el('p', { className: 'muted' }, text));
  }

  show(entry) {
    const text = JSON.stringify(entry);
    if (text === this.text) return; // what is being read or typed stays
    this.text = text;
    const changed = flat(entry.changed ?? {}).length ? el('p', { className: 'changed' },
      `Differs from the configuration${entry.until ? ` until ${time(Date.parse(entry.until))}` : ''}: `
      + Object.entries(entry.changed).map(([key, of]) => `${key} is ${textOf(of.now)} and configured as ${textOf(of.configured)}`).join('; ')) : '';
    const happened = [
      block('Used by', list(entry.usedBy?.length ? entry.usedBy : ['nothing'])),
      entry.letters && block('Dead letters', entry.letters.length ? listOf(entry.letters) : list(['none'])),
      entry.events && block('Last events', list(entry.events.length ? entry.events.slice(0, EVENTS_OF_POLICY).map(eventText) : ['none'])),
    ];
    const isOpen = this.static.querySelector('details')?.open ?? false;
    const state = el('details', { open: isOpen }, el('summary', {}, 'All of its state'), pairs(entry.state));
    this.static.replaceChildren(...[changed, el('div', {}, ...happened.filter(Boolean)),
      el('div', {}, block('Policy', pairs(entry.policy)), state)].filter(Boolean));
    this.offer(entry);
  }

  offer(entry) {
    const { policy } = this, { kind } = policy;
    if (!app.writeable) {
      this.actions.replaceChildren(el('p', { className: 'muted' }, 'Write access to the endpoint is off.'));
      return;
    }
    this.values = flat(entry.policy).filter(([key]) => kind.changeable.includes(key));
    if (this.actions.contains(document.activeElement) || this.actions.childElementCount) return;
    const buttons = kind.actions.map(action => {
      const button = el('button', { type: 'button' }, capital(words(action)));
      button.addEventListener('click', () => confirm({
        policy, title: `${capital(words(action))}: ${kind_title(kind)} ${policy.name}?`, verb: capital(words(action)),
        fields: kind.actionFields, body: { action },
      }));
      return button;
    });
    this.actions.replaceChildren(...buttons, ...(this.values.length ? [this.changeForm()] : []));
  }

  changeForm() {
    const { policy } = this;
    const key = el('select', {}, ...this.values.map(([name]) => el('option', { value: name }, name)));
    const value = el('input', { type: 'text', autocomplete: 'off', spellcheck: false });
    const atMost = el('input', { type: 'text', autocomplete: 'off', placeholder: 'until restart', size: 8 });
    const now = () => String(this.values.find(([name]) => name === key.value)?.[1] ?? '');
    const fill = () => { value.value = now(); };
    key.addEventListener('change', fill);
    fill();
    const form = el('form', { className: 'change' },
      el('label', {}, 'Change ', key), el('label', {}, 'to ', value), el('label', {}, 'for ', atMost),
      el('button', { type: 'submit' }, 'Change …'));
    form.addEventListener('submit', event => {
      event.preventDefault();
      confirm({
        policy, title: `Change ${kind_title(policy.kind)} ${policy.name}?`, verb: 'Change',
        text: `${key.value}: ${now() || 'none'} → ${value.value}, `
          + (atMost.value ? `for ${atMost.value}.` : 'until the next restart.'),
        body: { policy: { [key.value]: value.value }, ...(atMost.value ? { for: atMost.value } : {}) },
      });
    });
    return form;
  }
}

const block = (title, content) => el('section', {}, el('h4', {}, title), content);
const list = texts => el('ul', {}, ...texts.map(text => el('li', {}, text)));
const pairs = object => el('dl', {}, ...flat(object).map(([key, value]) => el('div', {}, el('dt', {}, key), el('dd', {}, textOf(value)))));
const listOf = objects => el('ul', { className: 'objects' }, ...objects.map(object => el('li', {}, pairs(object))));

/** One line of what happened: a transition with its two states, or whatever the event brings. */
function eventText({ at, type, kind, name, number: ignored, count: times, from, to, ...rest }) {
  const what = from && to ? `${words(from)} → ${words(to)}` : words(type);
  const details = Object.entries(rest).map(([key, value]) => `${words(key)}: ${textOf(value)}`);
  return `${time(Date.parse(at))} ${what}${times > 1 ? ` × ${times}` : ''}${details.length ? `, ${details.join(', ')}` : ''}`;
}

const NOT_EXPOSED = 'Details and actions need the endpoint resilience, which is not exposed. '
  + 'Add it to management.endpoints.web.exposure.include.';
const path = (...parts) => [app.base + app.endpoint, ...parts.map(encodeURIComponent)].join('/');

/** What to do about an answer that is no success. */
const ADVICE = {
  401: 'Log in, and reload this page.',
  403: 'You may lack the role, or Spring Security wants a CSRF token: let the actuator do without one, or keep it in a '
    + 'cookie (CookieCsrfTokenRepository.withHttpOnlyFalse), which this page sends back.',
  404: 'It may have been removed, or the endpoint resilience is not exposed.',
  405: 'Write access to the endpoint resilience is off.',
};

async function ask(url, body) {
  const token = document.cookie.split('; ').find(cookie => cookie.startsWith('XSRF-TOKEN='));
  const answer = await fetch(url, {
    headers: {
      Accept: 'application/json',
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...(token ? { 'X-XSRF-TOKEN': decodeURIComponent(token.slice('XSRF-TOKEN='.length)) } : {}),
    },
    signal: AbortSignal.timeout(TIMEOUT),
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const isJson = /json/.test(answer.headers.get('Content-Type') ?? ''), content = isJson ? await answer.json() : null;
  if (answer.ok && isJson) return content;
  if (answer.ok) throw new Error('The answer is no JSON: log in, and reload this page.');
  const reasons = [content?.error, content?.reason, ADVICE[answer.status]].filter(Boolean);
  throw new Error(`Refused with status ${answer.status}. ${reasons.join('. ')}`);
}

/** Asks, sends and shows the answer; an answer that is the policy's new entry closes the dialog. */
function confirm({ policy, title, verb, text = '', fields = [], body }) {
  const dialog = $('dialog'), form = dialog.querySelector('form'), confirmation = $('dialog-confirm');
  const inputs = fields.map(name => [name, el('input', name === 'all' ? { type: 'checkbox' } : { type: 'text', autocomplete: 'off' })]);
  $('dialog-title').textContent = title;
  $('dialog-text').textContent = text;
  $('dialog-fields').replaceChildren(...inputs.map(([name, input]) => el('label', {}, `${name} `, input)));
  $('dialog-answer').replaceChildren();
  $('dialog-cancel').textContent = 'Cancel';
  $('dialog-cancel').onclick = () => dialog.close();
  confirmation.textContent = verb;
  confirmation.hidden = false;
  form.onsubmit = async event => {
    event.preventDefault();
    const more = inputs.map(([name, input]) => [name, input.type === 'checkbox' ? input.checked || '' : input.value]).filter(([, value]) => value !== '');
    confirmation.disabled = true;
    try {
      const answer = await ask(path(policy.kind.id, policy.name), { ...body, ...Object.fromEntries(more) });
      if (answer.state && answer.policy) {
        dialog.close();
        announce(`Done: ${title.replace(/\?$/, '')}`);
      } else {
        $('dialog-answer').replaceChildren(pairs(answer));
        $('dialog-cancel').textContent = 'Close';
        confirmation.hidden = true;
      }
      policy.row.details?.load();
      poll();
    } catch (failed) {
      $('dialog-answer').replaceChildren(el('p', { className: 'problem' }, failed.message));
    } finally {
      confirmation.disabled = false;
    }
  };
  dialog.showModal();
  (inputs[0]?.[1] ?? $('dialog-cancel')).focus();
}

// ---- the page

const announce = text => setText($('announcer'), text);

/** A kind's section, with a line for each policy; those that no method uses are folded. */
function section(kind) {
  kind.used = el('ul', { className: 'rows' });
  kind.unused = el('ul', { className: 'rows' });
  kind.summary = el('summary');
  kind.folded = el('details', { className: 'unused' }, kind.summary, kind.unused);
  kind.counted = el('span', { className: 'muted' });
  kind.head = el('div', { className: 'line head', 'aria-hidden': 'true' });
  kind.columns = [];
  kind.problemText = el('p', { className: 'problem', hidden: true });
  kind.element = el('section', { className: 'kind' }, el('h3', {}, `${capital(kind_title(kind))} `, kind.counted),
    kind.problemText, kind.head, kind.used, kind.folded);
  kind.policies.forEach(policy => { policy.row = new Row(policy); });
}

/** Each value has a column, but for texts, and for times that no policy has had yet. */
function arrange(kind) {
  const columns = kind.shown.flatMap((shown, i) => {
    const form = formOf(shown), isThere = policy => policy.values?.[i] !== null && policy.values?.[i] !== undefined;
    return !form.isLong && (!form.isTime || kind.columns.includes(i) || [...kind.policies.values()].some(isThere)) ? [i] : [];
  });
  if (columns.length === kind.columns.length) return;
  kind.columns = columns;
  kind.head.replaceChildren(el('span', {}, 'name'), ...columns.map(i => el('span', {}, kind.shown[i].label)));
  kind.element.style.setProperty('--columns', columns.map(i => `minmax(0, ${formOf(kind.shown[i]).width ?? 1}fr)`).join(' '));
}

/** Takes what does not change, of an application that is new to the page. */
function meet(data) {
  if (app.seen.has(data.instance)) {
    notice('instances', 'Several instances of the application answer at this address in turn, so lines and rates are cut off. Open the page of one instance.');
  }
  app.seen.add(data.instance);
  if (app.seen.size > 50) app.seen.clear();
  Object.assign(app, { instance: data.instance, endpoint: data.endpoint, writeable: data.writeable && Boolean(data.endpoint), last: 0 });
  app.base = location.pathname.slice(0, location.pathname.length - data.path.length);
  setText($('application'), data.application);
  notice('exposed', data.endpoint ? '' : NOT_EXPOSED);
  kinds.clear();
  position = -1;
  answers = 0;
  for (const [id, kind] of Object.entries(data.kinds)) {
    kinds.set(id, { id, shown: [], actions: [], actionFields: [], changeable: [], ...kind, isDerived: !kind.shown?.length, policies: new Map() });
  }
  kinds.forEach(section);
  $('kinds').replaceChildren(...[...kinds.values()].map(kind => kind.element));
  $('kind').replaceChildren(el('option', { value: '' }, 'all'), ...[...kinds.keys()].map(id => el('option', { value: id }, words(id))));
  $('events').replaceChildren();
  const { warnings } = data;
  $('warnings').hidden = !warnings.length;
  $('warnings').querySelector('summary').textContent = `${warnings.length} startup warning${warnings.length === 1 ? '' : 's'}`;
  $('warnings').querySelector('ul').replaceChildren(...warnings.map(text => el('li', {}, text)));
}

function notice(id, text) {
  const there = $(`notice-${id}`);
  if (!text) there?.remove();
  else if (there) setText(there, text);
  else $('notices').append(el('p', { id: `notice-${id}`, className: 'notice' }, text));
}

function takeAnswer(data) {
  app.serverTime = Date.parse(data.now);
  app.receivedAt = performance.now();
  if (data.kinds) meet(data);
  const before = seconds[position];
  position = (position + 1) % POINTS;
  answers++;
  seconds[position] = data.millis / 1000;
  const first = seconds[(position + POINTS - Math.min(answers, POINTS) + 1) % POINTS];
  span = SPANS.find(each => seconds[position] - first <= each) ?? SPANS.at(-1);
  const elapsed = answers > 1 ? seconds[position] - before : 0;
  for (const kind of kinds.values()) takeKind(kind, data.policies[kind.id] ?? {}, elapsed);
  takeEvents(data.events);
}

function takeKind(kind, entries, elapsed) {
  const broken = typeof entries.problem === 'string' ? entries.problem : kind.problem;
  kind.problemText.hidden = !broken;
  if (broken) {
    setText(kind.problemText, `This kind cannot be shown: ${broken}`);
    entries = {};
  }
  if (kind.isDerived && describeNew(kind, Object.values(entries))) {
    const old = kind.element;
    section(kind);
    old.replaceWith(kind.element);
    kind.policies.forEach(policy => place(policy));
  }
  for (const [name, entry] of Object.entries(entries)) {
    let policy = kind.policies.get(name);
    if (!policy) kind.policies.set(name, policy = new Policy(kind, name));
    const wasFolded = isFolded(policy.entry);
    policy.take(entry, elapsed);
    if (!policy.row.element.parentNode || wasFolded !== isFolded(entry)) place(policy);
  }
  for (const [name, policy] of kind.policies) {
    if (!(name in entries)) {
      visible.unobserve(policy.row.element);
      policy.row.element.remove();
      kind.policies.delete(name);
    }
  }
  arrange(kind);
}

/** Whether values have turned up that a kind without a description has not had before. */
function describeNew(kind, entries) {
  let isNew = false;
  for (const { values } of entries) {
    for (const [key, value] of Object.entries(values ?? {})) {
      if (value !== null && !kind.shown.some(shown => shown.path === key)) isNew = Boolean(kind.shown.push(described(key, value)));
    }
  }
  return isNew;
}

const isFolded = entry => Boolean(entry.unused && !entry.trouble);

/** In alphabetical order, with the others that are used, or are not. */
function place(policy) {
  const rows = isFolded(policy.entry) ? policy.kind.unused : policy.kind.used;
  const last = rows.lastElementChild?.row.policy.name;
  const next = last === undefined || last < policy.name ? null : [...rows.children].find(row => row.row.policy.name > policy.name);
  rows.insertBefore(policy.row.element, next ?? null);
}

function takeEvents(events) {
  for (const event of events) {
    app.last = Math.max(app.last, event.number);
    const jump = el('button', { type: 'button', className: 'link' }, event.name);
    jump.addEventListener('click', () => kinds.get(event.kind)?.policies.get(event.name)?.row.reveal());
    const when = time(Date.parse(event.at)), text = eventText(event).slice(when.length + 1);
    $('events').prepend(el('li', {}, el('time', { datetime: event.at }, when), el('div', {}, `${words(event.kind)} `, jump, el('p', {}, text))));
  }
  while ($('events').childElementCount > MAX_EVENTS) $('events').lastElementChild.remove();
  $('no-events').hidden = $('events').childElementCount > 0;
}

const all = () => [...kinds.values()].flatMap(kind => [...kind.policies.values()]);

const troubles = new Map(); // by key of the policy: what is shown of it
let isFirst = true;

/** What is in trouble, since when, why, and until when. */
class Trouble {
  constructor(policy) {
    this.sentence = el('p', { className: 'sentence' });
    this.why = el('p', { className: 'why' });
    this.button = el('button', { type: 'button' }, 'Show');
    this.button.setAttribute('aria-label', `Show ${policy.title}`);
    this.button.addEventListener('click', () => policy.row.reveal());
    this.name = el('strong', {}, policy.title);
    this.rest = document.createTextNode('');
    this.sentence.append(this.name, this.rest);
    this.chart = chart('chart');
    this.element = el('li', {}, el('div', {}, this.sentence, this.why), this.chart.svg, this.button);
  }

  show(policy) {
    const shown = policy.shown(), of = as => shown.filter(found => found.shown.as === as);
    const since = of('SINCE')[0], began = since ? Date.parse(since.value) : policy.troubleSince;
    const seen = since ? 'since' : 'since at least';
    const until = of('UNTIL').map(found => ` ${capital(found.shown.label)} ${found.text}.`).join('');
    const text = ` ${policy.entry.trouble}, ${seen} ${time(began)} (${duration(serverNow() - began)}).${until}`;
    if (this.rest.data !== text) this.rest.data = text;
    setText(this.why, of('TEXT').map(found => `${capital(found.shown.label)}: ${found.text}.`).join(' '));
    const drawn = shown.find(found => found.shown.as === 'SHARE') ?? shown.find(found => found.form.take);
    if (drawn) this.chart.draw(policy, drawn);
  }
}

function showTroubles(policies) {
  const troubled = policies.filter(policy => policy.entry.trouble), now = new Set(troubled.map(policy => policy.key));
  const over = [...troubles.keys()].filter(key => !now.has(key)), began = troubled.filter(policy => !troubles.has(policy.key));
  over.forEach(key => { troubles.get(key)?.element?.remove(); troubles.delete(key); });
  for (const policy of began) troubles.set(policy.key, null);
  troubled.slice(MAX_TROUBLES).forEach(({ key }) => { troubles.get(key)?.element.remove(); troubles.set(key, null); });
  for (const policy of troubled.slice(0, MAX_TROUBLES)) {
    let trouble = troubles.get(policy.key);
    if (!trouble || trouble.policy !== policy) {
      trouble?.element.remove();
      troubles.set(policy.key, trouble = Object.assign(new Trouble(policy), { policy }));
      $('troubles').append(trouble.element);
    }
    trouble.show(policy);
  }
  const more = troubled.length - MAX_TROUBLES;
  $('calm').hidden = troubled.length > 0 && more <= 0;
  $('trouble').classList.toggle('calm', troubled.length === 0);
  setText($('calm'), troubled.length ? `And ${more} more: see “only trouble” below.`
    : `None of ${policies.length} policies refuses calls, runs out or is full.`);
  if (!isFirst && (began.length || over.length)) {
    const say = (what, keys) => (keys.length ? `${what}: ${keys.slice(0, 5).map(key => words(key.replace('/', ' '))).join(', ')}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''}. ` : '');
    announce(say('In trouble', began.map(policy => policy.key)) + say('Over', over));
  }
  isFirst = false;
  const title = `${troubled.length ? `(${troubled.length}) ` : ''}Resilience${$('application').textContent ? ` of ${$('application').textContent}` : ''}`;
  if (document.title !== title) document.title = title;
}

function filter(policies = all()) {
  const wanted = $('search').value.trim().toLowerCase(), kind = $('kind').value, onlyTrouble = $('only-trouble').checked;
  let count = 0;
  for (const policy of policies) {
    const matches = (!kind || policy.kind.id === kind) && (!onlyTrouble || policy.entry.trouble || policy.entry.problem)
      && (!wanted || policy.name.toLowerCase().includes(wanted) || kind_title(policy.kind).includes(wanted));
    policy.row.element.hidden = !matches;
    if (matches) count++;
  }
  const isFiltered = Boolean(wanted || kind || onlyTrouble);
  for (const one of kinds.values()) {
    const [used, unused] = [one.used, one.unused].map(rows => [...rows.children].filter(row => !row.hidden).length);
    one.element.hidden = used + unused === 0 && (isFiltered || one.policies.size === 0) && one.problemText.hidden;
    one.folded.hidden = unused === 0;
    if (wanted && unused) one.folded.open = true;
    setText(one.summary, `${unused} that nothing uses`);
    setText(one.counted, String(used));
  }
  setText($('count'), isFiltered ? `${count} of ${policies.length}` : `${policies.length} policies`);
}

function clearFilter() {
  $('filter').reset();
  filter();
}

function render() {
  const policies = all();
  showTroubles(policies);
  filter(policies);
  for (const policy of policies) if (policy.isSeen) policy.row.render();
}

// ---- asking

let timer = 0, failures = 0, isAsking = false;

async function poll() {
  clearTimeout(timer);
  if (document.hidden || isAsking) return;
  isAsking = true;
  try {
    const own = new URL(import.meta.url), known = app.instance ? `?instance=${app.instance}&since=${app.last}` : '';
    const data = await ask(new URL(`data${known}`, own));
    notice('data', data.problem ? `The application's policies cannot be shown: ${data.problem}` : '');
    if (!data.problem) {
      if (app.instance && data.instance !== app.instance && !data.kinds) app.instance = null;
      takeAnswer(data);
      render();
    }
    failures = 0;
    connection();
  } catch (failed) {
    failures++;
    connection(failed);
  } finally {
    isAsking = false;
    if (!document.hidden) timer = setTimeout(poll, Math.min(POLL * 2 ** failures, SLOWEST_POLL));
  }
}

function connection(failed) {
  document.body.classList.toggle('stale', failures > 0);
  const asOf = app.serverTime ? time(app.serverTime) : '';
  setText($('connection'), failed ? `${asOf ? `As of ${asOf}. ` : ''}The application does not answer: ${failed.message}` : asOf);
}

document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); else clearTimeout(timer); });
$('filter').addEventListener('submit', event => event.preventDefault());
$('filter').addEventListener('input', () => filter());
poll();
