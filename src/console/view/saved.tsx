import { useState } from 'hono/jsx/dom';
import type { ComparedView, SnapshotView } from '../../http/control/schema.js';
import { STATE_FILE } from '../model/actions.js';
import { compareForm, saveForm } from '../model/forms.js';
import { download, FileForm, Form } from './form.js';
import { ActionButton, ready, Section } from './parts.js';
import { actions, context, model, words } from './screen.js';

/** Saved states: save, restore, compare; and the whole state, started over or as a file. */
export function SavedPage() {
  const { saved: texts, sections } = words;
  const loaded = model.resources.read(
    'snapshots',
    (client) => client.get('state/snapshots'),
    ({ kind }) => kind === 'state',
  );
  return (
    <>
      <h2>{sections.saved}</h2>
      {ready(loaded, ({ data }) => {
        const names = data.map(({ name }) => name);
        return (
          <>
            <Form form={saveForm(context, names)} isInline resets />
            {data.length === 0 ? <p class="empty">{texts.none}</p> : null}
            <ul class="cards">
              {data.map((saved) => (
                <SavedState key={saved.name} saved={saved} />
              ))}
            </ul>
            {names.length === 0 ? null : <Compare key={names.join(' ')} names={names} />}
          </>
        );
      })}
      <Section title={texts.reset}>
        <ActionButton action={actions.state.reset} label={texts.reset} asks={texts.resetAsks} />
      </Section>
      <Section title={texts.file}>
        <p class="faint">{texts.exportHint}</p>
        <ActionButton
          action={actions.state.export}
          label={texts.export}
          onDone={(state) => download(STATE_FILE, `${JSON.stringify(state)}\n`)}
        />
        <FileForm
          label={texts.file}
          send={texts.import}
          hint={texts.importHint}
          onFile={(name, state) => {
            const confirm = () => void model.act(actions.state.import(name, state));
            model.ask({ text: texts.importAsks(name), label: texts.import, confirm });
          }}
        />
      </Section>
    </>
  );
}

function SavedState({ saved }: { saved: SnapshotView }) {
  const { saved: texts } = words;
  const { name, now, charges, withdrawals, deliveries, sessions } = saved;
  return (
    <li aria-label={name}>
      <p>
        <strong>{name}</strong> <time>{words.instant(now)}</time>
      </p>
      <p class="faint">{texts.holds(charges, withdrawals, deliveries, sessions)}</p>
      <div class="buttons">
        <ActionButton
          action={actions.state.restore(name)}
          label={texts.restore}
          name={`${texts.restore} ${name}`}
          asks={texts.restoreAsks(name)}
        />
        <ActionButton
          action={actions.state.drop(name)}
          label={texts.drop}
          name={`${texts.drop} ${name}`}
          asks={texts.dropAsks(name)}
        />
      </div>
    </li>
  );
}

/** Compares a saved state with another, or with now. */
function Compare({ names }: { names: readonly string[] }) {
  const { saved: texts } = words;
  const [compared, setCompared] = useState<ComparedView | undefined>(undefined);
  return (
    <Section title={texts.compare}>
      <Form form={compareForm(context, names)} isInline isMain={false} onDone={setCompared} />
      {compared === undefined ? null : <Differences compared={compared} />}
    </Section>
  );
}

function Differences({ compared: { from, to, count, differences } }: { compared: ComparedView }) {
  const { saved: texts } = words;
  return (
    <>
      <p>
        {from} → {to ?? texts.now}: {texts.differences(count, differences.length)}
      </p>
      <ul class="cards">
        {differences.map(({ kind, id, code, change, fields }) => (
          <li key={`${kind} ${id}`}>
            <p>
              {kind} <strong>{code ?? id}</strong> {texts[change]}
            </p>
            {Object.entries(fields ?? {}).map(([name, value]) => (
              <p key={name} class="faint">
                {name}: <code>{valueText(value.from)}</code> → <code>{valueText(value.to)}</code>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
}
