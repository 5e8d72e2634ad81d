import { Refusal } from '../../../contract/refusals.js';
import { body as bodyOf } from '../../../core/input/body.js';
import { NAME, RAW_TEXT } from '../../../core/input/text-kinds.js';
import { lookUpIn } from '../../../core/lookup.js';
import type { Call } from '../../../sandbox/call-log.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { named, nullish } from '../../../schema/fields.js';
import { flag } from '../../../schema/values.js';
import { headersAgain } from '../../../text/exchange/again.js';
import type { Admit } from '../../operation/in-process.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import type { ReplayedCall } from '../schema.js';
import { callDetail } from '../views.js';
import { namedCalls } from './calls.js';
import type { RequestAgain } from './request-again.js';
import { requestAgain } from './request-again.js';

const REPLAY = bodyOf({
  body: nullish(RAW_TEXT),
  app: nullish(NAME),
  newCode: named('new_code', nullish(flag)),
});

/** The route that sends a kept call through its door once more; `url` is the origin of the sandbox. */
export function replayRoutes(url: () => string, admit: Admit): readonly ControlRoute[] {
  return [
    route('POST', 'calls/:id/replay', { body: REPLAY }, async ({ sandbox, param, body, because }) => {
      const kept = lookUpIn(namedCalls(sandbox), param('id'));
      const { send, changed } = admitted(requestAgain(sandbox, kept, body), new URL(url()).host, admit);
      const { id, result } = because(() => asked(sandbox, kept, send));
      await result;
      const call = lookUpIn(namedCalls(sandbox), id);
      const view: ReplayedCall = { ...callDetail(sandbox, call), replay_of: kept.requestId, changed };
      return ok(view);
    }),
  ];
}

function asked(sandbox: Sandbox, { requestId }: Call, send: () => Promise<unknown>) {
  const command = 'call.replay';
  const said = {
    kind: 'command',
    id: requestId,
    title: `${command} ${requestId}`,
    facts: { command },
  } as const;
  return sandbox.timeline.asking(said, sandbox.clock.now(), sandbox.realNow(), send);
}

/** Gets a request past the guards: a call that came through a tunnel names a host that is not ours. */
function admitted({ request, changed }: RequestAgain, host: string, admit: Admit) {
  const [, before] = request.headers.find(([name]) => name.toLowerCase() === 'host') ?? [];
  if (before !== undefined) {
    try {
      return { send: admit(request), changed };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error;
    }
  }
  const { headers } = headersAgain(request.headers, { host });
  const named = before === undefined ? [] : [`host: ${before} -> ${host}`];
  return { send: admit({ ...request, headers }), changed: [...changed, ...named] };
}
