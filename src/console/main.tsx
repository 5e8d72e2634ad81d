import { render } from 'hono/jsx/dom';
import { ControlClient } from '../client/control.js';
import { ticking } from './clock/ticking.js';
import { App } from './frame/app.js';
import { listenForKeys } from './frame/keys.js';
import { listenForRefusals } from './frame/refusals.js';
import { Console } from './model/console.js';
import type { Section } from './model/routes.js';
import { besideList, readRoute } from './model/routes.js';
import { follow } from './model/sharing.js';
import { ControlToken } from './model/control-token.js';
import { browserTransport } from './model/transport.js';
import { receiveToken, settleToken } from './frame/token-link.js';
import { wordsFor } from './words/words.js';

const root = document.querySelector<HTMLElement>('#console');
if (root === null) throw new Error('Expected an element with the id console.');

/** What the browser keeps with each address. */
interface PlaceState {
  readonly from: Section;
}

let isDue = false;
/** Undefined until there is something to show: drawing an empty screen first would only delay it. */
let redraw: (() => void) | undefined;

/** Draws once for all changes within a frame; a hidden tab draws when it is seen again. */
function changed(): void {
  if (isDue) return;
  isDue = true;
  const draw = () => {
    isDue = false;
    if (redraw === undefined) begin();
    else redraw();
  };
  if (redraw === undefined) queueMicrotask(draw);
  else requestAnimationFrame(draw);
}

function begin(): void {
  const onReady = (draw: () => void) => {
    redraw = () => {
      draw();
      update();
    };
  };
  render(<App model={model} onReady={onReady} />, root as HTMLElement);
}

const words = wordsFor(navigator.languages);
document.documentElement.lang = words.language;
const token = new ControlToken(sessionStorage);
receiveToken(token);
const model = new Console(
  new ControlClient(browserTransport(token)),
  words,
  {
    read: () => readRoute(location, (history.state as PlaceState | null)?.from),
    go: (path, from, replace) => {
      const state: PlaceState = { from };
      history[replace ? 'replaceState' : 'pushState'](state, '', besideList(path, location));
    },
  },
  changed,
);
void model.feed.begin().then(() => {
  settleToken(model, token);
  follow(model.feed);
});
window.addEventListener('popstate', () => model.arrive());
window.addEventListener('hashchange', () => {
  if (receiveToken(token)) settleToken(model, token);
  model.arrive();
});
listenForKeys(model);
listenForRefusals(model);
const update = ticking(model);
