/** Calls the shop; an answer that is no JSON becomes its detail. */
export async function call(path, { method = 'GET', body, headers = {} } = {}) {
  const response = await fetch(path, {
    method,
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
  return { status: response.status, headers: response.headers, answer };
}

/** The seconds of an ISO-8601 duration such as PT1M30.5S. */
export function seconds(iso) {
  const [, hours = 0, minutes = 0, rest = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(iso) ?? [];
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
}

export function element(tag, text, className = '') {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}
