import { useState } from 'hono/jsx/dom';
import type { ScenarioRun } from '../../http/control/schema.js';
import type { ScenarioInput } from '../model/actions.js';
import { SCENARIO_FILE } from '../model/actions.js';
import { recordForm } from '../model/forms.js';
import type { Tone } from '../model/rows.js';
import { download, FileForm, Form } from './form.js';
import { Button, Ending, ready, Section, Text } from './parts.js';
import { actions, context, model, words } from './screen.js';

/**
 * Scenarios: the built-in ones and those of files, the result of the last run, and a recording of what
 * happened.
 */
export function ScenariosPage() {
  const { scenarios: texts, sections } = words;
  const [result, setResult] = useState<ScenarioRun | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const [isFresh, setFresh] = useState(true);
  const run = async (input: Omit<ScenarioInput, 'fresh'>) => {
    setResult(undefined);
    setRunning(true);
    const done = await model.act(actions.scenarios.run({ ...input, fresh: isFresh }));
    setRunning(false);
    setResult(done?.result);
  };
  const loaded = model.resources.read(
    'scenarios',
    (client) => client.get('scenarios'),
    () => false,
  );
  const onFresh = (event: Event) => setFresh((event.target as HTMLInputElement).checked);
  return (
    <>
      <h2>{sections.scenarios}</h2>
      <label class="check">
        <input type="checkbox" checked={isFresh} onChange={onFresh} /> {texts.fresh}
      </label>
      {isRunning ? <p role="status">{texts.running}</p> : null}
      {result === undefined ? null : <Result result={result} />}
      {ready(loaded, ({ data }) => (
        <ul class="cards">
          {data.map(({ name, description }) => (
            <li key={name}>
              <p>
                <strong>{name}</strong>{' '}
                <Button
                  label={texts.run}
                  name={texts.runNamed(name)}
                  disabled={isRunning}
                  onClick={() => void run({ name })}
                />
              </p>
              <p class="faint">{description}</p>
            </li>
          ))}
        </ul>
      ))}
      <Section title={texts.own}>
        <FileForm
          label={texts.file}
          send={texts.run}
          disabled={isRunning}
          onFile={(name, scenario) => void run({ name, scenario })}
        />
      </Section>
      <Recording />
    </>
  );
}

const TONES: Readonly<Record<'passed' | 'failed' | 'skipped', Tone>> = {
  passed: 'good',
  failed: 'bad',
  skipped: 'plain',
};

/** The steps of a run, and why some failed. */
function Result({ result }: { result: ScenarioRun }) {
  const { scenarios: texts, detail } = words;
  const end = (status: keyof typeof TONES) => <Ending text={texts[status]} tone={TONES[status]} />;
  return (
    <section aria-label={texts.result} role="status">
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

/** Makes a scenario of what happened in this sandbox. */
function Recording() {
  const { scenarios: texts } = words;
  const [text, setText] = useState<string | undefined>(undefined);
  return (
    <Section title={texts.record}>
      <Form
        form={recordForm(context)}
        isInline
        isMain={false}
        onDone={(made) => setText(`${JSON.stringify(made, null, 2)}\n`)}
      />
      {text === undefined ? null : (
        <>
          <Text name={texts.recording} text={text} />
          <Button label={texts.download} onClick={() => download(SCENARIO_FILE, text)} />
        </>
      )}
    </Section>
  );
}
