import type { CheckResultView } from '../../../http/control/system.js';
import { NamedValues } from '../../detail/loaded.js';
import { CopyButton } from '../../frame/copy-button.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import type { Tone } from '../../model/rows.js';

type Verdict = CheckResultView['verdict'];

const TONES: Readonly<Record<Verdict, Tone>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'waiting',
  unknown: 'plain',
  gated: 'plain',
};

export function VerdictEnding({ verdict }: { verdict: Verdict }) {
  return <Ending outcome={{ text: verdict, tone: TONES[verdict] }} />;
}

/** A check that failed. */
export function CheckResult({
  model,
  result,
  again,
}: {
  model: Console;
  result: CheckResultView;
  again: string | null;
}) {
  const { check: words } = model.words;
  const { id, level, verdict, sent, got, expected, likely, fix, link, known } = result;
  const command = again === null ? undefined : `npx sandbox ${again} --only ${id} --verbose`;
  return (
    <section aria-label={id}>
      <h3>
        {id} <VerdictEnding verdict={verdict} /> <span class="faint">{known ? words.known : level}</span>
      </h3>
      <NamedValues
        values={[
          [words.sent, sent],
          [words.got, got],
          [words.expected, expected],
          [words.likely, likely],
          [words.fix, fix],
          [words.written, link],
          [
            words.again,
            command === undefined ? undefined : (
              <>
                <code>{command}</code> <CopyButton model={model} text={command} name={words.copyAgain(id)} />
              </>
            ),
          ],
        ]}
      />
    </section>
  );
}
