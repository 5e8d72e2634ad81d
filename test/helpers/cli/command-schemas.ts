import { DIFFERENCE_PARTS } from '../../../src/text/exchange/differences.js';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const whole: Schema = { type: 'integer' };
const number: Schema = { type: 'number' };
const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: Schema): Schema => ({ type: 'array', items });
const record = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
const only = (value: unknown): Schema => ({ const: value });
const control = (name: string): Schema => ({ $ref: `control.json#/components/schemas/${name}` });

/** An object of these fields and no others; a name that ends in `?` may be missing. */
function object(fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

const env = record(text);
const problem = object({ field: text, message: text });
const finding = object({
  id: text,
  did: text,
  expected: text,
  fix: text,
  certainty: { enum: ['proved', 'observed', 'possible', 'unexplained'] },
  alike: list(text),
});
const fault: Schema = { type: 'object', required: ['action'] };
const badDay = {
  faults: list(fault),
  words: list(text),
  class: { enum: ['promised', 'outage'] },
  failure: object({ category: { enum: ['test', 'invariant'] }, name: text, message: text }),
  confirmed: { type: 'string', pattern: '^[0-3]/[1-3]$' },
  runs: whole,
  trace: list(text),
};
const connected = { listener: control('Endpoint'), forward_to: text, released: whole, failed: whole };
const ready = { type: only('ready'), url: text, pid: whole, version: text, env };
const attempt = {
  headers: record(text),
  'body?': text,
  'body_base64?': text,
  response_status: nullable(whole),
  error: nullable(text),
  detail: nullable(text),
  body_error: nullable(text),
  latency_ms: number,
  response_headers: nullable(list({ type: 'array', items: text, minItems: 2, maxItems: 2 })),
  'response_body?': nullable(text),
  'response_body_base64?': text,
  truncated: flag,
  verified: nullable(flag),
};
const compared = {
  differences: list(
    object({
      of: { enum: ['request', 'answer'] },
      part: { enum: DIFFERENCE_PARTS },
      name: text,
      from: nullable(text),
      to: nullable(text),
    }),
  ),
  always: list(text),
};
const scenario = object({
  name: text,
  file: nullable(text),
  passed: flag,
  duration_ms: number,
  notes: list(text),
  steps: list(
    object({
      number: whole,
      title: text,
      'note?': text,
      status: { enum: ['passed', 'failed', 'skipped'] },
      reasons: list(text),
    }),
  ),
});

const webhookCheck = {
  ok: flag,
  cause: nullable(text),
  message: nullable(text),
  secret: nullable(whole),
  signature: nullable(whole),
  at: number,
  tolerance_s: number,
  age_s: nullable(number),
  secrets: list(object({ number: whole, shown: text, source: text })),
  signatures: whole,
  findings: list(finding),
  hint: nullable(text),
};

const HELP_PAGE = {
  name: text,
  summary: text,
  usage: text,
  description: text,
  commands: list(object({ name: text, summary: text, 'group?': text })),
  options: list(object({ flags: text, description: text })),
  environment: list(object({ name: text, meaning: text })),
  files: list(object({ path: text, holds: text })),
  exit_status: list(object({ code: text, meaning: text })),
  examples: list(text),
  see_also: list(text),
};

/** What every command says under `--json` when it fails. */
export const ERROR = object({
  error: object({ code: text, message: text, details: list(problem), 'hint?': text }),
  exit_code: whole,
});

/** What commands say that make their answer themselves; several are lines, of different types. */
export const OWN: Readonly<Record<string, readonly Schema[]>> = {
  start: [
    object({ ...ready, 'log_file?': text }),
    object({ type: only('forwarding'), ...connected }),
    object({ type: only('call'), call: control('Call') }),
  ],
  stop: [object({ stopped: only(true), url: text, pid: whole, instance_id: text })],
  listen: [
    object({
      type: only('ready'),
      ...connected,
      'secret?': text,
    }),
    object({ type: only('ready'), url: text, relay: text, forward_to: list(text), verifies: flag }),
    object({
      type: only('attempt'),
      delivery_id: text,
      attempt: whole,
      ...attempt,
      delivery: nullable(control('Delivery')),
    }),
    object({ type: only('simulated'), action: text, attempt: whole, delivery: control('Delivery') }),
  ],
  // Without tokens.
  'apps list': [
    object({
      data: list(
        object({
          id: text,
          organization_id: text,
          name: text,
          scopes: list(text),
          account_id: text,
          account_ids: list(text),
        }),
      ),
    }),
  ],
  // With --count; without, it is the answer of the control API.
  trigger: [
    object({
      reached: flag,
      events: list(control('Event')),
      deliveries: list(control('Delivery')),
      summary: object({
        made: whole,
        deliveries: whole,
        delivered: whole,
        pending: whole,
        failed: whole,
        latency_ms: nullable(object({ p50: number, p95: number, p99: number })),
      }),
    }),
  ],
  // With --curl; without, it is the answer of the control API.
  'calls show': [object({ curl: text, left_out: list(text), app: nullable(text) })],
  'deliveries show': [object({ curl: text, left_out: list(text) })],
  'calls diff': [object({ from: text, to: text, ...compared, not_kept: list(text) })],
  'deliveries diff': [object({ delivery: text, from: whole, to: whole, ...compared, not_kept: list(whole) })],
  logs: [
    object({ type: only('ready'), url: text }),
    control('TimelineEntry'),
    control('TimelineBreak'),
    control('LogEntry'),
    object({ type: only('reset') }),
    object({ type: { enum: ['gap', 'restarted'] }, title: text }),
  ],
  'clock advance': [object({ from: text, to: text, steps: whole, finished: flag, clock: control('Clock') })],

  init: [
    object({
      folder: text,
      dry_run: flag,
      files: list(
        object({
          path: text,
          'text?': text,
          outcome: { enum: ['written', 'extended', 'kept', 'left out'] },
          'added?': list(text),
          'kept?': list(text),
          'reason?': text,
        }),
      ),
      next: list(text),
    }),
  ],
  'state export': [object({ file: text, charges: whole, deliveries: whole }), control('State')],
  exec: [
    object({
      type: only('exec'),
      command_exit_code: whole,
      exit_code: whole,
      idle: flag,
      used: flag,
      deliveries: list(object({ status: text, count: whole })),
      findings: list(object({ kind: text, message: text })),
      warnings: list(object({ kind: text, message: text })),
    }),
  ],
  run: [
    object({ scenarios: list(object({ name: text, description: text, file: text })) }),
    object({
      passed: flag,
      sandbox: { anyOf: [object({ kind: only('fresh') }), object({ kind: only('running'), url: text })] },
      scenarios: list(scenario),
    }),
    object({ file: text, steps: whole, passes: flag }),
  ],
  verify: [
    object(webhookCheck),
    object({ ...webhookCheck, received: object({ ok: flag, cause: nullable(text) }) }),
  ],
  explore: [
    object({
      seed: text,
      baseline: object({ runs: whole, points: whole, unstable: list(text) }),
      planned: whole,
      run: whole,
      failing: whole,
      missed: list(object({ faults: list(fault), fired: list(whole) })),
      not_run: list(object({ faults: list(fault), reason: text })),
      left: whole,
      findings: list(object({ ...badDay, file: nullable(text), repeat: text })),
      flaky: list(object(badDay)),
      budget_spent: flag,
      ok: flag,
      duration_ms: whole,
    }),
  ],
  check: [
    object({
      checks: list(
        object({
          id: text,
          level: text,
          clause: text,
          link: text,
          sends: text,
          passes: text,
          likely: text,
          fix: text,
          about: text,
          needs: list(text),
        }),
      ),
    }),
    object({
      target: text,
      checks: list(
        object({
          id: text,
          level: text,
          verdict: text,
          clause: text,
          link: text,
          sent: text,
          got: text,
          expected: text,
          likely: text,
          fix: text,
          reason: nullable(text),
          duration_ms: whole,
          known: flag,
        }),
      ),
      summary: record(whole),
      ok: flag,
      budget_spent: flag,
      notes: list(text),
      duration_ms: whole,
    }),
  ],
  'sign webhook': [object({ headers: record(text), 'curl?': text })],
  'sign request': [
    object({
      headers: record(text),
      canonical: text,
      parts: record(text),
      scheme: record(text),
      'curl?': text,
    }),
  ],
  'fixtures list': [
    object({ folder: text, fixtures: list(object({ name: text, holds: text, bytes: whole })) }),
  ],
  'fixtures show': [
    object({
      id: text,
      type: text,
      schema_version: only(1),
      timestamp: text,
      environment: only('TEST'),
      data: { type: 'object' },
    }),
    object({ name: text, text }),
    { type: 'object', required: ['vectors'] },
  ],
  'fixtures export': [object({ folder: text, written: list(text), unchanged: list(text) })],
  config: [
    object({
      files: list(object({ from: text, path: text, exists: flag })),
      settings: list(
        object({
          key: text,
          value: {},
          default: nullable(text),
          source: object({ from: text, name: nullable(text) }),
          flag: text,
          environment: text,
          commands: list(text),
        }),
      ),
    }),
    { type: 'object', required: ['$schema', 'properties'] },
  ],
  completion: [object({ shell: text, script: text })],
  doctor: [
    object({
      ok: flag,
      checks: list(
        object({ name: text, status: { enum: ['ok', 'warn', 'fail'] }, message: text, 'advice?': text }),
      ),
    }),
  ],
  help: [object(HELP_PAGE), object({ ...HELP_PAGE, pages: list(object(HELP_PAGE)) })],
};
