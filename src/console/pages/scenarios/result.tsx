import type { ScenarioRun } from '../../../http/control/schema.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import type { Tone } from '../../model/rows.js';

const TONES: Readonly<Record<'passed' | 'failed' | 'skipped', Tone>> = {
  passed: 'good',
  failed: 'bad',
  skipped: 'plain',
};

/** How the steps of a run went, and why those that failed did. */
export function RunResult({ model, result }: { model: Console; result: ScenarioRun }) {
  const { scenarios: words, detail } = model.words;
  const end = (status: keyof typeof TONES) => (
    <Ending outcome={{ text: words[status], tone: TONES[status] }} />
  );
  return (
    <section aria-label={words.result} role="status">
      {result.scenarios.map(({ name, passed, duration_ms: ms, notes, steps }) => (
        <article key={name}>
          <h3>
            {name} {end(passed ? 'passed' : 'failed')} <span class="faint">{detail.took(ms)}</span>
          </h3>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
          <ol class="cards">
            {steps.map(({ number, title, note, status, reasons }) => (
              <li key={number}>
                <p>
                  {number}. {title} {end(status)} <span class="faint">{note}</span>
                </p>
                {reasons.map((reason) => (
                  <p key={reason} class="problem">
                    {reason}
                  </p>
                ))}
              </li>
            ))}
          </ol>
        </article>
      ))}
    </section>
  );
}
