import { useState } from 'hono/jsx/dom';
import type { ScenarioRun } from '../../../http/control/schema.js';
import { Ready } from '../../detail/loaded.js';
import { fileOf, jsonOf } from '../../frame/files.js';
import type { Action } from '../../model/actions.js';
import type { Console } from '../../model/console.js';
import { scenarioActions } from './actions.js';
import { RecordForm } from './record.js';
import { RunResult } from './result.js';

/** Scenarios: the built-in ones and those of files, how the last run went, and a recording of what happened. */
export function ScenariosPage({ model }: { model: Console }) {
  const { words } = model;
  const [result, setResult] = useState<ScenarioRun | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const [isFresh, setFresh] = useState(true);
  const actions = scenarioActions(words);
  const run = async (action: Action) => {
    setResult(undefined);
    setRunning(true);
    await model.act(action);
    setRunning(false);
  };
  const runFile = async (event: Event) => {
    event.preventDefault();
    const file = fileOf(event, 'file');
    const scenario = file && (await jsonOf(model, file));
    if (file === undefined || scenario === undefined) return;
    await run(actions.run({ name: file.name, scenario, fresh: isFresh }, setResult));
  };
  const onFresh = (event: Event) => setFresh((event.target as HTMLInputElement).checked);
  return (
    <>
      <h2>{words.sections.scenarios}</h2>
      <label class="check">
        <input type="checkbox" checked={isFresh} onChange={onFresh} /> {words.scenarios.fresh}
      </label>
      {isRunning ? <p role="status">{words.scenarios.running}</p> : null}
      {result === undefined ? null : <RunResult model={model} result={result} />}
      <BuiltIn
        model={model}
        isRunning={isRunning}
        onRun={(name) => void run(actions.run({ name, fresh: isFresh }, setResult))}
      />
      <section aria-label={words.scenarios.own}>
        <h3>{words.scenarios.own}</h3>
        <form class="inline" onSubmit={(event: Event) => void runFile(event)}>
          <input type="file" name="file" required aria-label={words.scenarios.file} />
          <button type="submit" disabled={isRunning}>
            {words.scenarios.run}
          </button>
        </form>
      </section>
      <RecordForm model={model} />
    </>
  );
}

function BuiltIn({
  model,
  isRunning,
  onRun,
}: {
  model: Console;
  isRunning: boolean;
  onRun: (name: string) => void;
}) {
  const { words } = model;
  const loaded = model.resources.read(
    'scenarios',
    (client) => client.get('scenarios'),
    () => false,
  );
  return (
    <Ready model={model} loaded={loaded}>
      {({ data }) => (
        <ul class="cards">
          {data.map(({ name, description }) => (
            <li key={name}>
              <p>
                <strong>{name}</strong>{' '}
                <button
                  type="button"
                  aria-label={words.scenarios.runNamed(name)}
                  disabled={isRunning}
                  onClick={() => onRun(name)}
                >
                  {words.scenarios.run}
                </button>
              </p>
              <p class="faint">{description}</p>
            </li>
          ))}
        </ul>
      )}
    </Ready>
  );
}
