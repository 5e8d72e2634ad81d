import type { Console } from '../model/console.js';

/** Which application it is for, where there are several. */
export function AppField({ model }: { model: Console }) {
  const apps =
    model.resources.read(
      'apps',
      (client) => client.get('apps'),
      ({ command }) => command === 'app.create',
    ).value?.data ?? [];
  if (apps.length < 2) return null;
  return (
    <label>
      {model.words.endpoints.app}
      <select name="app">
        {apps.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
