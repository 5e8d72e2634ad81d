import { shortSessionId } from '../../../core/identity/session.js';
import type { SessionView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { Column } from '../../terminal/text.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus, statusColumn } from '../../terminal/status.js';
import { ageText, relativeText, whenText } from '../../terminal/when.js';

export function sessionColumns(io: Io, nowMs: number): readonly Column<SessionView>[] {
  return [
    { title: 'ID', value: ({ id }) => shortSessionId(id) },
    { title: 'TYPE', value: ({ customer_type }) => customer_type },
    statusColumn(io),
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
    { title: 'READABLE', value: (session) => waitText(session, nowMs), optional: true },
    { title: 'EXPIRES', value: (session) => expiryText(session, nowMs), optional: true },
    { title: 'ERROR', value: ({ error }) => error ?? '', optional: true },
    { title: 'EUID', value: ({ euid }) => euid ?? '', optional: true },
  ];
}

/** How long until a decision becomes readable. */
function waitText({ readable_at }: SessionView, nowMs: number): string {
  return readable_at !== null && Date.parse(readable_at) > nowMs ? relativeText(readable_at, nowMs) : '';
}

function expiryText({ status, expires_at }: SessionView, nowMs: number): string {
  return status === 'CREATED' || status === 'IN_PROGRESS' ? relativeText(expires_at, nowMs) : '';
}

/** All details of a session; its id and address, which are credentials, only for those who have the whole id. */
export function sessionText(io: Io, session: SessionView, nowMs: number, isWhole = true): string {
  const { status, decided_at, readable_at } = session;
  return facts(io, [
    ['session', isWhole ? session.id : shortSessionId(session.id)],
    ['page', isWhole ? session.url : 'shown with the whole id, or with --json'],
    ['type', session.customer_type],
    ['status', status, (text) => paintStatus(io, status, text)],
    ['error', session.error ?? ''],
    ['euid', session.euid ?? ''],
    ['name', session.name ?? ''],
    ['document', session.document ?? ''],
    ['embedded by', session.embed_origin ?? ''],
    ['created', whenText(session.created_at, nowMs)],
    ['expires', whenText(session.expires_at, nowMs)],
    ['decided', decided_at === null ? '' : whenText(decided_at, nowMs)],
    ['readable', readable_at === null ? '' : whenText(readable_at, nowMs)],
  ]);
}

export function decidedText(io: Io, session: SessionView, nowMs: number): string {
  const name = `session ${shortSessionId(session.id)}`;
  if (session.error !== null) return `${name} reports ${session.error} and stays undecided.`;
  const wait = waitText(session, nowMs);
  const readable = wait === '' ? '' : `, readable ${wait}`;
  return `${name} is ${paintStatus(io, session.status)}${readable}.`;
}
