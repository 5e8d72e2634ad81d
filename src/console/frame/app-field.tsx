import type { AppView } from '../../http/control/schema.js';
import type { Console } from '../model/console.js';

/** The applications to choose from, the default one first; none where there is only one. */
export function appChoices({ resources }: Console): readonly (readonly [value: string, label: string])[] {
  const apps = resources.read(
    'apps',
    (client) => client.get('apps'),
    ({ command, kind }) => command === 'app.create' || kind === 'state',
  ).value?.data;
  return apps === undefined || apps.length < 2 ? [] : choicesOf(apps);
}

/** Each by its name, or by its id where several have the name. */
export function choicesOf(apps: readonly Pick<AppView, 'id' | 'name'>[]): [value: string, label: string][] {
  const isAlone = (name: string) => apps.filter((one) => one.name === name).length === 1;
  return apps.map(({ id, name }) => [isAlone(name) ? name : id, name]);
}

/** Which application it is for, where there are several. */
export function AppField({ model }: { model: Console }) {
  const choices = appChoices(model);
  if (choices.length === 0) return null;
  return (
    <label>
      {model.words.payments.fields.app.label}
      <select name="app">
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
