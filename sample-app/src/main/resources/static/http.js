/** Calls the shop; an answer that is no JSON becomes its detail. */
export async function call(path, { method = 'GET', body, headers = {} } = {}) {
  const response = await fetch(path, {
    method,
    keepalive: method !== 'GET',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text || '{}');
  } catch {
    answer = { detail: text };
  }
  return { status: response.status, answer };
}

/** The seconds of an ISO-8601 duration such as PT1M30.5S. */
export function seconds(iso) {
  const [, hours = 0, minutes = 0, rest = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(iso) ?? [];
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
}

export const byId = id => document.getElementById(id);

/** Writes only what has changed, so that a reader's selection and a screen reader are left in peace. */
export function set(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

export function element(tag, text, className = '') {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

export const clock = time => new Date(time).toLocaleTimeString('en-GB');

/** The numbers of one name, summed over seconds. */
export const sum = (seconds, ...names) => seconds.reduce((all, second) => all + names.reduce((some, name) => some + (second[name] ?? 0), 0), 0);
