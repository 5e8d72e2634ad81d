import type { SessionView } from '../../../http/control/schema.js';
import { shortSessionId } from '../../../core/identity/session.js';
import type { SessionDecision } from '../../../contract/transitions.js';
import { SESSION_DECISIONS, TRANSITIONS } from '../../../contract/transitions.js';
import { CliError, EXIT } from '../../program/errors.js';
import type { Invocation, InvocationOf } from '../../program/declaration.js';
import { oneLine } from '../../terminal/text.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import type { Asker, Choice, Questions } from '../../prompts/asker.js';
import type { decide } from './command.js';

/** Statuses of sessions without a final decision (§3). */
const OPEN = ['CREATED', 'IN_PROGRESS', 'under_review'] as const;
type OpenStatus = (typeof OPEN)[number];

interface OpenSession {
  readonly name: string;
  readonly status: OpenStatus | undefined;
}

export const decideQuestions: Questions<InvocationOf<typeof decide>> = async (invocation, asker) => {
  const { args, options } = invocation;
  const { name, status } =
    args.id === undefined ? await chosenSession(invocation, asker) : { name: args.id, status: undefined };
  const isAsked = args.status === undefined && options.error === undefined;
  const decision = isAsked ? await asker.choose('Which decision?', decisions(status)) : args.status;
  return { args: decision === undefined ? [name] : [name, decision] };
};

function chosenSession(invocation: Invocation, asker: Asker): Promise<OpenSession> {
  return withSandbox(invocation, async (client) => {
    const pages = await Promise.all(
      OPEN.map(async (status) => {
        const { data } = await client.get('kyc/sessions', { status, limit: '50' });
        return data.map((session) => choiceOf(session, status));
      }),
    );
    const choices = pages.flat();
    if (choices.length > 0) return asker.choose('Which session?', choices);
    const message = 'There is no session to decide: every one has its final decision.';
    const hint = 'Create one with `npx sandbox kyc create`.';
    throw new CliError(EXIT.no, 'NOTHING_TO_CHOOSE', message, { hint });
  });
}

/** A full id is a credential; a prefix is enough to identify it. */
function choiceOf({ id, customer_type, name }: SessionView, status: OpenStatus): Choice<OpenSession> {
  const short = shortSessionId(id).replace('…', '');
  const who = name === null ? '' : `  ${oneLine(name, 30)}`;
  return { value: { name: short, status }, name: `${short}  ${customer_type}  ${status}${who}` };
}

function decisions(status: OpenStatus | undefined): Choice<SessionDecision>[] {
  const possible: readonly string[] = status === undefined ? SESSION_DECISIONS : TRANSITIONS.session[status];
  const known = SESSION_DECISIONS.filter((decision) => possible.includes(decision));
  const likeliest = known.filter((decision) => decision === 'approved');
  return [...new Set([...likeliest, ...known])].map((value) => ({ value, name: value }));
}
