import { showActs } from './acts.js';
import { countDown, showComparison } from './compare.js';
import './demo.js';
import { changes, showGateway } from './gateway.js';
import { byId, call, clock } from './http.js';
import { showOrders } from './orders.js';
import { goOn } from './tour.js';

/** Asks the shop once a second for all that the page shows; less and less often while there is no answer. */
const LONGEST_PAUSE = 16_000;
let pause = 1000;
let next;
let asOf;

async function refresh() {
  clearTimeout(next);
  try {
    const changesBefore = changes;
    const { status, answer } = await call('show');
    if (status !== 200) throw new Error(answer.detail);
    asOf = answer.now;
    pause = 1000;
    outdated(false);
    showComparison(answer);
    showActs(answer.shop);
    showGateway(answer, changesBefore);
    showOrders(answer.orders);
    goOn(answer);
  } catch (failure) {
    if (!(failure instanceof TypeError)) console.warn(failure);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    outdated(true);
  }
  clearTimeout(next);
  next = setTimeout(refresh, pause);
}

/** What is old is grey, and cannot be switched. */
function outdated(is) {
  const text = is ? `The shop does not answer. ${asOf ? `All this is as of ${clock(asOf)}.` : ''}` : '';
  if (byId('offline').textContent !== text) byId('offline').textContent = text;
  byId('offline').hidden = !is;
  document.body.classList.toggle('outdated', is);
  for (const control of document.querySelectorAll('button, input')) control.disabled = is;
}

/** A page of Spring Boot that says 404 is no dashboard. */
function checkDashboard() {
  const [page] = byId('dashboard').contentWindow?.performance.getEntriesByType('navigation') ?? [];
  const found = !page?.responseStatus || page.responseStatus < 400;
  byId('no-dashboard').hidden = found;
  byId('dashboard').hidden = !found;
}

byId('dashboard').addEventListener('load', checkDashboard);
checkDashboard();
document.addEventListener('changed', refresh);
setInterval(countDown, 100);
refresh();
