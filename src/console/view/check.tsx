import type { CheckResultView, KeptCheckView } from '../../http/control/system.js';
import { readCheck } from '../model/reads.js';
import type { Tone } from '../model/rows.js';
import { Command, Ending, NamedValues, ready } from './parts.js';
import { model, words } from './screen.js';

const FIRST = 'npx sandbox check --forward-to 3000/webhooks';

const TONES: Readonly<Record<CheckResultView['verdict'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'waiting',
  unknown: 'plain',
  gated: 'plain',
};

/**
 * Shows the report of `check`: failures with cause, fix and command, what was not observed, what passed,
 * and notes.
 */
export function CheckPage() {
  return (
    <>
      <h2>{words.sections.check}</h2>
      {ready(readCheck(model), (kept) => (
        <Report kept={kept} />
      ))}
    </>
  );
}

function Report({ kept: { report, received_at: at } }: { kept: KeptCheckView }) {
  const { check: texts, detail } = words;
  if (report === null) {
    return (
      <>
        <p class="empty">{texts.none}</p>
        <p class="command">
          <Command text={FIRST} />
        </p>
      </>
    );
  }
  const { ok, headline, target, checks, notes, again, duration_ms: ms } = report;
  const failed = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  const passed = checks.filter(({ verdict }) => verdict === 'pass');
  const unobserved = checks.filter((result) => !failed.includes(result) && !passed.includes(result));
  const tone = passed.length === checks.length ? 'good' : 'waiting';
  return (
    <>
      <p class={ok ? tone : 'loud'}>{headline}</p>
      <p>
        <code>{target}</code>{' '}
        <span class="faint">
          {detail.took(ms)} {at === null ? '' : words.instant(at)}
        </span>
      </p>
      {failed.map((result) => (
        <FailedCheck key={result.id} result={result} again={again} />
      ))}
      <Results results={unobserved} />
      {passed.length === 0 ? null : (
        <details>
          <summary>{texts.others(passed.length)}</summary>
          <Results results={passed} />
        </details>
      )}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  );
}

function Results({ results }: { results: readonly CheckResultView[] }) {
  return (
    <ul class="cards">
      {results.map(({ id, verdict, expected, reason }) => (
        <li key={id}>
          <strong>{id}</strong> <Ending text={verdict} tone={TONES[verdict]} />{' '}
          <span class="faint">{reason ?? expected}</span>
        </li>
      ))}
    </ul>
  );
}

function FailedCheck({ result, again }: { result: CheckResultView; again: string | null }) {
  const { check: texts } = words;
  const { id, level, verdict, sent, got, expected, likely, fix, link, known } = result;
  const command = again === null ? undefined : `npx sandbox ${again} --only ${id} --verbose`;
  return (
    <section aria-label={id}>
      <h3>
        {id} <Ending text={verdict} tone={TONES[verdict]} />{' '}
        <span class="faint">{known ? texts.known : level}</span>
      </h3>
      <NamedValues
        values={[
          [texts.sent, sent],
          [texts.got, got],
          [texts.expected, expected],
          [texts.likely, likely],
          [texts.fix, fix],
          [texts.written, link],
          [texts.again, command && <Command key="again" text={command} name={texts.copyAgain(id)} />],
        ]}
      />
    </section>
  );
}
