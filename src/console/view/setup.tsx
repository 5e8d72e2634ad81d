import { useState } from 'hono/jsx/dom';
import { dotenvLine } from '../../text/dotenv.js';
import { curlSnippet } from '../model/curl-snippet.js';
import type { Choice } from '../model/forms.js';
import { readEnv, readScheme, readStatus } from '../model/reads.js';
import { FORWARD_COMMAND, openSteps } from './first-steps.js';
import { areKeysOn, toggleKeys } from './keys.js';
import { Button, Command, CopyButton, NamedValues, ready, Secret, Section, Select } from './parts.js';
import { model, words } from './screen.js';

/** What an application needs to work with this sandbox, and settings of the console. */
export function SetupPage() {
  const { setup, keys, sections } = words;
  return (
    <>
      <h2>{sections.setup}</h2>
      <Environment />
      <Section title={setup.forward}>
        <p>{setup.forwardHint}</p>
        <p>
          <Command text={FORWARD_COMMAND} />
        </p>
      </Section>
      <Snippets />
      <Section title={setup.keys}>
        <div class="buttons">
          <Button label={areKeysOn() ? keys.off : keys.on} onClick={toggleKeys} />
          <Button label={keys.button} onClick={() => model.open('keys')} />
          <Button label={setup.steps} onClick={openSteps} />
        </div>
      </Section>
      <p class="faint">
        {setup.version} {readStatus(model).value?.version}
      </p>
    </>
  );
}

/** The variables of an application, with the secrets masked until they are asked for. */
function Environment() {
  const { setup } = words;
  return (
    <Section title={setup.environment}>
      <p>{setup.environmentHint}</p>
      {ready(readEnv(model), (env) => {
        // A value that a `.env` file cannot hold is named instead.
        const lines = Object.entries(env).map(
          ([name, value]) => dotenvLine(name, value) ?? `# ${name}: npx sandbox env --format shell`,
        );
        return (
          <>
            <NamedValues
              values={Object.entries(env).map(([name, value]) => [
                name,
                isSecret(name) ? <Secret key={value} name={name} value={value} /> : <code>{value}</code>,
              ])}
            />
            <CopyButton text={`${lines.join('\n')}\n`} label={setup.copyAll} />
          </>
        );
      })}
    </Section>
  );
}

/** Only addresses and ids are not secret. */
function isSecret(name: string): boolean {
  return !/_(?:URL|ID)$|^SANDBOX_URL$/.test(name);
}

interface GuideFile {
  readonly name: string;
  readonly text: string;
}

/** The files of the guides by language, as the build writes them. */
type Guides = Readonly<Record<string, Readonly<Record<'request' | 'receiver', GuideFile>>>>;

const CURL = 'curl';
const LISTEN = 'npx sandbox listen';

/** A signed request and a receiver in a language of choice. */
function Snippets() {
  const { setup } = words;
  const [language, choose] = useState(CURL);
  const loaded = model.resources.read(
    'guides',
    async () => (await (await fetch(`/console/${__GUIDES__}`)).json()) as Guides,
    () => false,
  );
  return (
    <Section title={setup.code}>
      {ready(loaded, (guides) => {
        const guide = guides[language];
        return (
          <>
            <Select
              label={setup.language}
              choices={[CURL, ...Object.keys(guides)].map((name): Choice => [name, name])}
              value={language}
              onChoose={choose}
            />
            {guide === undefined ? (
              <CurlSnippet />
            ) : (
              <>
                <Snippet title={setup.request} file={guide.request} />
                <Snippet title={setup.receiver} file={guide.receiver} />
              </>
            )}
          </>
        );
      })}
    </Section>
  );
}

function CurlSnippet() {
  const { setup } = words;
  const { value: scheme } = readScheme(model);
  return ready(readEnv(model), (env) => (
    <>
      {scheme === undefined ? null : (
        <Snippet title={setup.request} file={{ name: 'sh', text: curlSnippet(env, scheme) }} />
      )}
      <p>
        {setup.listener} <Command text={LISTEN} />
      </p>
    </>
  ));
}

function Snippet({ title, file: { name, text } }: { title: string; file: GuideFile }) {
  return (
    <section aria-label={title}>
      <h4>
        {title} <code>{name}</code> <CopyButton text={text} name={`${words.copy} ${name}`} />
      </h4>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  );
}
