import { NamedValues, Ready } from '../../detail/loaded.js';
import { CopyButton } from '../../frame/copy-button.js';
import { Secret } from '../../frame/secret.js';
import type { Console } from '../../model/console.js';
import { dotenvLine } from '../../../text/dotenv.js';

/** The environment block, as it is fetched once. */
export function readEnv(model: Console) {
  return model.resources.read(
    'env',
    (client) => client.get('env'),
    () => false,
  );
}

/** The variables of an application, with the secrets masked until they are asked for. */
export function Environment({ model }: { model: Console }) {
  const { setup: words } = model.words;
  return (
    <section aria-label={words.environment}>
      <h3>{words.environment}</h3>
      <p>{words.environmentHint}</p>
      <Ready model={model} loaded={readEnv(model)}>
        {(env) => (
          <>
            <NamedValues
              values={Object.entries(env).map(([name, value]) => [
                name,
                isSecret(name) ? (
                  <Secret key={value} model={model} name={name} value={value} />
                ) : (
                  <code key={name}>{value}</code>
                ),
              ])}
            />
            <CopyButton model={model} text={dotenvOf(env)} label={words.copyAll} />
          </>
        )}
      </Ready>
    </section>
  );
}

/** Only addresses and ids are none. */
function isSecret(name: string): boolean {
  return !/_(?:URL|ID)$|^SANDBOX_URL$/.test(name);
}

/** The block for a `.env` file; a value that such a file cannot hold is named instead. */
function dotenvOf(env: Readonly<Record<string, string>>): string {
  const lines = Object.entries(env).map(([name, value]) => {
    return dotenvLine(name, value) ?? `# ${name}: npx sandbox env --format shell`;
  });
  return `${lines.join('\n')}\n`;
}
