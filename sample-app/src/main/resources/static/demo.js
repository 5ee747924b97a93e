import { breakerIsReady } from './compare.js';
import { behave, operate } from './gateway.js';
import { byId, element } from './http.js';
import { newKey, placeAndTell, placeTwenty } from './orders.js';
import { tellScene } from './tour.js';

/** The scenes of demo.sh, each by one button. */
const SCENES = [
  ['Two calls fail', 'The gateway fails twice: @Retryable calls a third time, and the customer does not notice.',
    async () => { await behave({ failNext: 2 }); await placeAndTell(); }],
  ['It is down', 'Three failed orders open the @CircuitBreaker, which refuses the fourth at once.',
    async () => { await behave({ refuse: true }); for (let i = 0; i < 4; i++) await placeAndTell(); }],
  ['It recovers', 'When the wait is over, two good orders close the @CircuitBreaker.',
    async () => { await behave({}); await breakerIsReady(); await placeAndTell(); await placeAndTell(); }],
  ['20 at once', 'Each call takes a second. @Bulkhead lets 4 orders run and 1 wait, and refuses the others at once.',
    async () => { await behave({ latency: 'PT1S' }); await placeTwenty(); await behave({}); }],
  ['One key twice', 'The same order is sent twice: @Idempotent answers the second from its store.',
    async () => { const key = newKey(); await behave({}); await placeAndTell(key); await placeAndTell(key); }],
  ['Lost answers', 'The gateway charges and its answer is lost, twice: every attempt has the same key, so it charges once.',
    async () => { await behave({ loseNext: 2 }); await placeAndTell(); }],
];

const RECOVERY = 2;

byId('scenes').append(...SCENES.map(([title, text, play], i) => {
  const button = element('button', title);
  button.type = 'button';
  button.addEventListener('click', async () => {
    tellScene(title, text);
    if (i !== RECOVERY) await operate('reset'); // it goes on from what the scene before has broken
    await play();
  });
  return button;
}));
