import { render } from 'hono/jsx/dom';
import { ControlClient } from '../client/control.js';
import { ticking } from './clock/ticking.js';
import { App } from './frame/app.js';
import { listenForKeys } from './frame/keys.js';
import { Console } from './model/console.js';
import { readRoute } from './model/routes.js';
import { follow } from './model/sharing.js';
import { browserTransport, takeToken } from './model/transport.js';
import { wordsFor } from './words/words.js';

/** Draws once for all changes within a frame; a hidden tab draws when it is seen again. */
function drawer(draw: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  };
}

const root = document.querySelector<HTMLElement>('#console');
if (root === null) throw new Error('Expected an element with the id console.');

let redraw = () => {};
const words = wordsFor(navigator.languages);
document.documentElement.lang = words.language;
const model = new Console(
  new ControlClient(browserTransport(takeToken())),
  words,
  {
    read: () => readRoute(location),
    go: (path, replace = false) => history[replace ? 'replaceState' : 'pushState'](null, '', path),
  },
  drawer(() => redraw()),
);
window.addEventListener('popstate', () => model.arrive());
window.addEventListener('hashchange', () => model.arrive());
listenForKeys(model);
const update = ticking(model);
render(
  <App
    model={model}
    onReady={(draw) => {
      redraw = () => {
        draw();
        update();
      };
    }}
  />,
  root,
);
void model.feed.begin().then(() => follow(model.feed));
