import './orders.js';
import { refreshGateway } from './gateway.js';
import { countDown, refreshPolicies } from './policies.js';

/** Asks the shop once a second how things are. */
async function refresh() {
  try {
    await Promise.all([refreshPolicies(), refreshGateway()]);
    document.getElementById('offline').hidden = true;
  } catch {
    document.getElementById('offline').hidden = false;
  }
  setTimeout(refresh, 1000);
}

document.addEventListener('answered', () => refreshPolicies().catch(() => {}));
setInterval(countDown, 100);
refresh();
