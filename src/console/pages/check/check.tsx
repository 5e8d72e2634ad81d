import type { CheckResultView, KeptCheckView } from '../../../http/control/system.js';
import { Ready } from '../../detail/loaded.js';
import { CopyButton } from '../../frame/copy-button.js';
import type { Console } from '../../model/console.js';
import type { Loaded } from '../../model/resources.js';
import { CheckResult, VerdictEnding } from './result.js';

const FIRST = 'npx sandbox check --forward-to 3000/webhooks';

/** The newest report of `check`; the navigation names the page when there is one. */
export function readCheck(model: Console): Loaded<KeptCheckView> {
  return model.resources.read(
    'check',
    (client) => client.get('check'),
    ({ command }) => command === 'check',
  );
}

/** Shows the report of `check`: failures with cause, fix and command, what was not observed, what passed, and notes. */
export function CheckPage({ model }: { model: Console }) {
  const { words } = model;
  return (
    <>
      <h2>{words.sections.check}</h2>
      <Ready model={model} loaded={readCheck(model)}>
        {(kept) => <Report model={model} kept={kept} />}
      </Ready>
    </>
  );
}

function Report({ model, kept: { report, received_at: at } }: { model: Console; kept: KeptCheckView }) {
  const { check: words, detail } = model.words;
  if (report === null) {
    return (
      <>
        <p class="empty">{words.none}</p>
        <p class="command">
          <code>{FIRST}</code> <CopyButton model={model} text={FIRST} />
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
          {detail.took(ms)} {at === null ? '' : model.words.instant(at)}
        </span>
      </p>
      {failed.map((result) => (
        <CheckResult key={result.id} model={model} result={result} again={again} />
      ))}
      <Results results={unobserved} />
      {passed.length === 0 ? null : (
        <details>
          <summary>{words.others(passed.length)}</summary>
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
          <strong>{id}</strong> <VerdictEnding verdict={verdict} />{' '}
          <span class="faint">{reason ?? expected}</span>
        </li>
      ))}
    </ul>
  );
}
