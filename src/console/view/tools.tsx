import type { AssumptionLine, ObservedAssumption } from '../../contract/assumptions.js';
import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import { formatDuration } from '../../contract/time.js';
import type { CheckReportView, CheckResultView } from '../../http/control/system.js';
import type { ComparedView, ScenarioRun } from '../../http/control/world.js';
import { formatDotenvLine } from '../../text/shell/words.js';
import type { ScenarioInput } from '../model/actions.js';
import {
  createCurlSnippet,
  SCENARIO_FILE,
  scenarioActions,
  stateActions,
  STATE_FILE,
} from '../model/actions.js';
import {
  toChoices,
  createClockForms,
  createCompareForm,
  createRecordForm,
  createSaveForm,
} from '../model/forms.js';
import type { Tone } from '../model/rows.js';
import { formatDueItem } from '../model/sentences.js';
import { formatPace } from '../model/console.js';
import { consoleTexts } from '../words.js';
import { FORWARD_COMMAND, openFirstSteps } from './first-steps.js';
import { downloadFile, FileForm, ActionForm } from './form.js';
import { areKeysEnabled, toggleKeys } from './keys.js';
import {
  renderActionButton,
  renderButton,
  renderCommand,
  renderCopyButton,
  renderEmpty,
  renderFacts,
  renderFaint,
  renderLink,
} from './parts.js';
import {
  renderNamedValues,
  renderReady,
  Secret,
  renderSection,
  renderSelect,
  getSigningScheme,
  renderStatus,
  renderSummary,
  renderTable,
  renderText,
} from './parts.js';
import { moveClockTo, model } from './screen.js';

const DUE_SHOWN = 200;

/**
 * Lists scheduled items, each with a button that advances to it. Also shows forms to advance, freeze and
 * speed up the clock.
 */
export function TimePage() {
  const { clock: texts } = consoleTexts;
  const clock = model.clockKnown();
  const now = clock === undefined ? 0 : model.clockNow(clock);
  const within = (at: string) => {
    const seconds = Math.round((Date.parse(at) - now) / 1000);
    return seconds > 0 ? texts.within(formatDuration(seconds * 1000)) : consoleTexts.now;
  };
  const due = renderReady(model.resources.get('agenda', { limit: DUE_SHOWN }), ({ due: all }) => {
    const rows = all.map((one) => ({
      ...one,
      title: formatDueItem(one),
      page: pageOfDue(one),
      name: `${one.kind} ${one.id}`,
    }));
    const jump = (at: string) => () => moveClockTo(at, texts.jump);
    return [
      renderTable(
        rows,
        [
          ['what', ({ page, title }) => (page === undefined ? title : renderLink(page, title))],
          ['at', ({ at }) => [consoleTexts.instant(at), ' ', renderFaint(within(at))]],
          ['actions', ({ at, title }) => renderButton(texts.jump, jump(at), { of: title })],
        ],
        { none: texts.nothingDue },
      ),
      all.length === DUE_SHOWN ? renderEmpty(texts.onlyFirst(DUE_SHOWN)) : null,
    ];
  });
  return (
    <>
      {clock === undefined ? null : renderSummary([[formatPace(clock), consoleTexts.instant(now)]])}
      <div class="forms">
        {createClockForms().map((form) => (
          <ActionForm key={form.id} form={form} />
        ))}
      </div>
      {renderSection(texts.dueTitle, due)}
      {formatPace(clock) === texts.real
        ? null
        : renderSection(
            texts.back,
            <>
              <p>{texts.backHint}</p>
              <div class="buttons">
                {renderActionButton(texts.back, stateActions.reset, {
                  asks: consoleTexts.saved.confirmReset,
                })}
                {renderLink('/saved', consoleTexts.sections.saved)}
              </div>
            </>,
          )}
    </>
  );
}

/** Scheduled sessions have no page, because their ids are shortened. */
function pageOfDue({ kind, id }: { readonly kind: string; readonly id: string }): string | undefined {
  if (kind.startsWith('charge.')) return `/charges/${id}`;
  return kind === 'delivery.attempt' ? `/deliveries/${id}` : undefined;
}

/** Saves, restores and compares states. Also resets, exports and imports the entire state. */
export function SavedPage() {
  const { saved: texts } = consoleTexts;
  const importFile = (name: string, imported: object) => {
    const confirm = () => void model.act(stateActions.import(name, imported), texts.import);
    model.confirm({ text: texts.confirmImport(name), label: texts.import, confirm });
  };
  return (
    <>
      {renderReady(model.resources.get('state/snapshots'), ({ data }) => {
        const names = data.map(({ name }) => name);
        return [
          <ActionForm form={createSaveForm(names)} isInline resets />,
          renderTable(data, [
            'name',
            ['at', ({ now }) => consoleTexts.instant(now)],
            'charges',
            'withdrawals',
            'deliveries',
            'sessions',
            [
              'actions',
              ({ name }) => [
                renderActionButton(texts.restore, stateActions.restore(name), {
                  of: name,
                  asks: texts.confirmRestore(name),
                }),
                renderActionButton(texts.drop, stateActions.drop(name), {
                  of: name,
                  asks: texts.confirmDrop(name),
                }),
              ],
            ],
          ]),
          names.length === 0 ? null : <Compare key={names.join(' ')} names={names} />,
        ];
      })}
      {renderSection(
        texts.reset,
        renderActionButton(texts.reset, stateActions.reset, { asks: texts.confirmReset }),
      )}
      {renderSection(
        texts.file,
        <>
          <p class="faint">{texts.exportHint}</p>
          {renderActionButton(texts.export, stateActions.export, {
            onDone: (exported) => downloadFile(STATE_FILE, `${JSON.stringify(exported)}\n`),
          })}
          <FileForm label={texts.file} send={texts.import} hint={texts.importHint} onFile={importFile} />
        </>,
      )}
    </>
  );
}

function Compare({ names }: { names: readonly string[] }) {
  const { saved: texts } = consoleTexts;
  const [{ from, to, count = 0, differences = [] }, setCompared] = useState<Partial<ComparedView>>({});
  const shown = differences.length < count ? `, ${texts.first(differences.length)}` : '';
  const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '–'));
  return renderSection(
    texts.compare,
    <>
      <ActionForm form={createCompareForm(names)} isInline onDone={setCompared} />
      {from === undefined ? null : (
        <p>{`${from} → ${to ?? consoleTexts.now}: ${texts.differences(count)}${shown}`}</p>
      )}
      <ul class="lines">
        {differences.map(({ kind, id, code, change, fields }) => (
          <li key={`${kind} ${id}`}>
            {kind} <strong>{code ?? id}</strong> {texts[change]}
            {Object.entries(fields ?? {}).map(([name, value]) => (
              <p key={name} class="faint">
                {name}: <code>{textOf(value.from)}</code> → <code>{textOf(value.to)}</code>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>,
  );
}

/**
 * Runs built-in scenarios and scenario files, shows the last result, and records the history as a scenario.
 */
export function ScenariosPage() {
  const { scenarios: texts } = consoleTexts;
  const [result, setResult] = useState<ScenarioRun | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const [fresh, setFresh] = useState(true);
  const [recorded, setRecorded] = useState<string | undefined>(undefined);
  const run = async (input: Omit<ScenarioInput, 'fresh'>) => {
    setResult(undefined);
    setRunning(true);
    const done = await model.act(scenarioActions.run({ ...input, fresh }), `${texts.run} ${input.name}`);
    setRunning(false);
    setResult(done?.result);
    if (done === undefined) return;
    const command = model.notice?.command;
    model.notify({ text: texts.ended(input.name, done.result.passed), command });
  };
  const onFresh = (event: Event) => setFresh((event.target as HTMLInputElement).checked);
  const onRecorded = (made: object) => setRecorded(`${JSON.stringify(made, null, 2)}\n`);
  return (
    <>
      <label class="check card">
        <input type="checkbox" checked={fresh} onChange={onFresh} /> {texts.fresh}
      </label>
      {isRunning ? <p role="status">{texts.running}</p> : null}
      {result === undefined ? null : <ScenarioResult result={result} />}
      {renderReady(model.resources.get('scenarios'), ({ data }) =>
        renderTable(data, [
          'name',
          'description',
          [
            'actions',
            ({ name }) =>
              renderButton(texts.run, () => void run({ name }), { of: name, disabled: isRunning }),
          ],
        ]),
      )}
      {renderSection(
        texts.own,
        <FileForm
          label={texts.file}
          send={texts.run}
          disabled={isRunning}
          onFile={(name, scenario) => void run({ name, scenario })}
        />,
      )}
      {renderSection(
        texts.record,
        <>
          <ActionForm form={createRecordForm()} isInline onDone={onRecorded} />
          {recorded && renderText(texts.recording, recorded)}
          {recorded && renderButton(texts.download, () => downloadFile(SCENARIO_FILE, recorded))}
        </>,
      )}
    </>
  );
}

const STEP_TONES = { passed: 'good', failed: 'bad', skipped: 'plain' } as const;

function ScenarioResult({ result }: { result: ScenarioRun }) {
  const { scenarios: texts } = consoleTexts;
  const end = (name: keyof typeof STEP_TONES) => renderStatus({ text: texts[name], tone: STEP_TONES[name] });
  return (
    <section aria-label={texts.result} role="status">
      {result.scenarios.map(({ name, passed, duration_ms: ms, notes, steps }) => (
        <article key={name}>
          <h3>
            {name} {end(passed ? 'passed' : 'failed')} {renderFaint(`${ms} ms`)}
          </h3>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
          <ol class="lines">
            {steps.map(({ number, title, note, status: of, reasons }) => (
              <li key={number}>
                {number}. {title} {end(of)} {renderFaint(note)}
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

const VERDICT_TONES: Readonly<Record<CheckResultView['verdict'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'waiting',
  unknown: 'plain',
  gated: 'plain',
};

const verdictOf = ({ verdict }: CheckResultView) =>
  renderStatus({ text: verdict, tone: VERDICT_TONES[verdict] });

/**
 * Shows the `check` report: failures with cause, fix and command, then unobserved results, passed results,
 * and notes.
 */
export function CheckPage() {
  const { check: texts } = consoleTexts;
  return renderReady(model.resources.get('check'), ({ report, received_at: at }) =>
    report === null
      ? renderCommand('npx sandbox check --forward-to 3000/webhooks', texts.none)
      : checkReport(report, at),
  );
}

function checkReport(report: CheckReportView, at: string | null) {
  const { check: texts } = consoleTexts;
  const { ok, headline, target, checks, notes, again, duration_ms: ms } = report;
  const failed = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  const passed = checks.filter(({ verdict }) => verdict === 'pass');
  const unobserved = checks.filter((result) => !failed.includes(result) && !passed.includes(result));
  const tone = passed.length === checks.length ? 'good' : 'waiting';
  return (
    <>
      <p class={ok ? tone : 'loud'}>{headline}</p>
      <p>
        <code>{target}</code> {renderFaint(`${ms} ms ${at === null ? '' : consoleTexts.instant(at)}`)}
      </p>
      {failed.map((result) => {
        const line =
          again === null
            ? null
            : renderCommand(`npx sandbox ${again} --only ${result.id} --verbose`, '', result.id);
        return renderSection(
          result.id,
          renderFacts(['sent', 'got', 'expected', 'likely', 'fix', 'link', ['again', line]], result),
          [verdictOf(result), ' ', renderFaint(result.known ? texts.known : result.level)],
        );
      })}
      {checkResults(unobserved)}
      {passed.length === 0 ? null : (
        <details>
          <summary>{texts.passed(passed.length)}</summary>
          {checkResults(passed)}
        </details>
      )}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  );
}

const checkResults = (results: readonly CheckResultView[]) => (
  <ul class="lines">
    {results.map((result) => (
      <li key={result.id}>
        <strong>{result.id}</strong> {verdictOf(result)} {renderFaint(result.reason ?? result.expected)}
      </li>
    ))}
  </ul>
);

export function SetupPage() {
  const { setup, keys } = consoleTexts;
  return (
    <>
      {renderSection(
        setup.environment,
        renderReady(model.resources.get('env'), (env) => environment({ ...env })),
      )}
      {renderSection(setup.forward, renderCommand(FORWARD_COMMAND))}
      {renderSection(
        setup.assumptions,
        renderReady(model.resources.get('assumptions'), ({ data }) => assumptions(data)),
      )}
      <Snippets />
      {renderSection(
        keys.title,
        <div class="buttons">
          {renderButton(areKeysEnabled() ? keys.off : keys.on, toggleKeys)}
          {renderButton(keys.title, () => model.open('keys'))}
          {renderButton(setup.steps, openFirstSteps)}
        </div>,
      )}
      <p class="faint">
        {setup.version} {model.resources.get('status').value?.version}
      </p>
    </>
  );
}

/**
 * Shows an application's environment variables. Masks all values except URLs and ids until the user reveals
 * them.
 */
function environment(env: Readonly<Record<string, string>>) {
  const entries = Object.entries(env);
  // If a `.env` file cannot contain a value, list only its name.
  const lines = entries.map(
    ([name, value]) => formatDotenvLine(name, value) ?? `# ${name}: npx sandbox env --format shell`,
  );
  const values = entries.map(([name, value]): readonly [string, Child] => {
    const isPublic = /_(?:URL|ID)$|^SANDBOX_URL$/.test(name);
    return [name, isPublic ? <code>{value}</code> : <Secret key={value} name={name} value={value} />];
  });
  return (
    <div class="card">
      <p>{consoleTexts.setup.environmentHint}</p>
      {renderNamedValues(values)}
      {renderCopyButton(`${lines.join('\n')}\n`, undefined, consoleTexts.setup.copyAll)}
    </div>
  );
}

function observedText({ on, value, matches }: ObservedAssumption): string {
  const { setup } = consoleTexts;
  return `${on.replaceAll('-', '\u2011')}: ${matches ? setup.matches : (value ?? setup.differs)}`;
}

/** Lists the assumptions with their values, and the observations of the last parity probe. */
function assumptions(lines: readonly AssumptionLine[]) {
  const { setup } = consoleTexts;
  const seen = lines.filter(({ observed }) => observed !== null);
  return (
    <details class="card">
      <summary>
        {seen.length === 0 ? setup.notObserved : setup.observedCount(seen.length, lines.length)}
      </summary>
      {renderTable(lines, [
        ['id', ({ id, question }) => <span title={question}>{id}</span>],
        ['assumed', ({ value }) => value],
        ['observed', ({ observed }) => observed && observedText(observed)],
      ])}
    </details>
  );
}

interface GuideFile {
  readonly name: string;
  readonly text: string;
}

/** Guide files by language, as written by the build. */
type Guides = Readonly<Record<string, Readonly<Record<'request' | 'receiver', GuideFile>>>>;

const CURL = 'curl';

function Snippets() {
  const { setup, names } = consoleTexts;
  const [language, choose] = useState(CURL);
  const scheme = getSigningScheme();
  const env = model.resources.get('env').value;
  const load = async () => (await (await fetch(`/console/${__GUIDES__}`)).json()) as Guides;
  const file = (title: string, { name, text: content }: GuideFile) =>
    renderSection(title, renderText(title, content), <code>{name}</code>);
  const curl = () => [
    env && scheme && file(setup.request, { name: 'sh', text: createCurlSnippet({ ...env }, scheme) }),
    renderCommand('npx sandbox listen', setup.listener),
  ];
  return renderSection(
    setup.code,
    renderReady(model.resources.read('guides', load, true), (guides) => {
      const guide = guides[language];
      const choices = toChoices([CURL, ...Object.keys(guides)]);
      return [
        renderSelect(names.language, choices, language, choose),
        guide === undefined
          ? curl()
          : [file(setup.request, guide.request), file(setup.receiver, guide.receiver)],
      ];
    }),
  );
}
