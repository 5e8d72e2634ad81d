import { type Reading, type WritingMistake } from '../readings.js';
import { COMMAND_OUTPUT, digitsInOutput, readingsOf } from '../writing.js';

interface Entry {
  readonly text: string;
  readonly mistakes: readonly WritingMistake[];
}

/** Further entries are ignored; a real header has one or two. */
const MAX_ENTRIES = 16;

/** All decodings of a `webhook-signature` header: each entry, its version, and its signature. */
export function webhookReadings(header: string): Reading[] {
  return entriesOf(header)
    .flatMap(versionsOf)
    .flatMap(({ text, mistakes }) => readingsOf(text, 'base64', mistakes));
}

/** The entries between spaces, and those between other separators that the header has. */
function entriesOf(header: string): Entry[] {
  const [, version = '', text = ''] = /^(v1,)?(.*)$/s.exec(header) ?? [];
  const digits = digitsInOutput(text);
  if (digits !== undefined) return [{ text: version + digits, mistakes: [COMMAND_OUTPUT] }];
  const entries: Entry[] = header
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => ({ text, mistakes: [] }));
  const known = new Set(entries.map(({ text }) => text));
  const other = header
    .split(/[\s;|]+|,(?=\s*v\d)|,\s/)
    .map((text) => text.trim())
    .filter((text) => text !== '' && !known.has(text));
  for (const text of other) entries.push({ text, mistakes: [ENTRY_MISTAKES.joinedOtherwise] });
  // The decodings remove quotes, spaces and encodings around a whole header.
  const whole = entries.some((entry) => entry.text === header) ? [] : [{ text: header, mistakes: [] }];
  return [...entries.slice(0, MAX_ENTRIES), ...whole];
}

function versionsOf({ text, mistakes }: Entry): Entry[] {
  if (text.startsWith('v1,')) return [{ text: text.slice(3), mistakes }];
  const versioned = /^(["'`]?)v(\d+[a-z]?)([,=: .]|%2C)(.+)$/i.exec(text);
  // The fix for the output of a command says how to write the whole entry.
  if (!versioned && mistakes.includes(COMMAND_OUTPUT)) return [{ text, mistakes }];
  if (!versioned) return [{ text, mistakes: [...mistakes, ENTRY_MISTAKES.withoutVersion] }];
  const [, quote = '', version, mark, rest = ''] = versioned;
  const inner = quote + rest;
  if (mark !== ',' && mark !== '%2C')
    return [{ text: inner, mistakes: [...mistakes, ENTRY_MISTAKES.versionMark] }];
  if (version !== '1' || text.startsWith('V'))
    return [{ text: inner, mistakes: [...mistakes, ENTRY_MISTAKES.otherVersion] }];
  return [{ text: inner, mistakes }];
}

const ENTRY_MISTAKES = {
  joinedOtherwise: {
    id: 'signatures-joined-otherwise',
    did: 'The signatures in webhook-signature were not joined with spaces.',
    fix: 'Separate signatures with one space.',
  },
  withoutVersion: {
    id: 'signature-without-version',
    did: 'The signature was sent without v1, before it.',
    fix: 'Send v1, and then the base64 of the signature.',
  },
  versionMark: {
    id: 'signature-version-mark',
    did: 'Version and signature are not separated by a comma, as in v1=.',
    fix: 'Send v1, and then the base64 of the signature; v1= is the format of another service.',
  },
  otherVersion: {
    id: 'signature-other-version',
    did: 'The signature is right but is not marked with version v1.',
    fix: 'Mark HMAC-SHA256 signatures with v1 in lower case.',
  },
} as const satisfies Record<string, WritingMistake>;

/** The ids of the mistakes in this file about a signature header. */
export const ENTRY_MISTAKE_IDS: readonly string[] = Object.values(ENTRY_MISTAKES).map(({ id }) => id);
