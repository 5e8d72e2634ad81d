import { readScheme } from '../../detail/reads.js';
import { useState } from 'hono/jsx/dom';
import { Ready } from '../../detail/loaded.js';
import { CopyButton } from '../../frame/copy-button.js';
import type { Console } from '../../model/console.js';
import { curlSnippet } from './curl-snippet.js';
import { readEnv } from './environment.js';

interface GuideFile {
  readonly name: string;
  readonly text: string;
}

/** The files of the guides by language, as the build writes them. */
type Guides = Readonly<Record<string, Readonly<Record<'request' | 'receiver', GuideFile>>>>;

const CURL = 'curl';
const LISTEN = 'npx sandbox listen';

/** A signed request and a receiver in the language that one picks. */
export function Snippets({ model }: { model: Console }) {
  const { setup: words } = model.words;
  const [language, choose] = useState(CURL);
  const loaded = model.resources.read(
    'guides',
    async () => (await (await fetch(`/console/${__GUIDES__}`)).json()) as Guides,
    () => false,
  );
  return (
    <section aria-label={words.code}>
      <h3>{words.code}</h3>
      <Ready model={model} loaded={loaded}>
        {(guides) => {
          const guide = guides[language];
          return (
            <>
              <label>
                {words.language}{' '}
                <select onChange={(event: Event) => choose((event.target as HTMLSelectElement).value)}>
                  {[CURL, ...Object.keys(guides)].map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
              {guide === undefined ? (
                <CurlSnippet model={model} />
              ) : (
                <>
                  <Snippet model={model} title={words.request} file={guide.request} />
                  <Snippet model={model} title={words.receiver} file={guide.receiver} />
                </>
              )}
            </>
          );
        }}
      </Ready>
    </section>
  );
}

function CurlSnippet({ model }: { model: Console }) {
  const { setup: words, copy } = model.words;
  const { value: scheme } = readScheme(model);
  return (
    <Ready model={model} loaded={readEnv(model)}>
      {(env) => (
        <>
          {scheme === undefined ? null : (
            <Snippet
              model={model}
              title={words.request}
              file={{ name: 'sh', text: curlSnippet(env, scheme) }}
            />
          )}
          <p>
            {words.listener} <code>{LISTEN}</code>{' '}
            <CopyButton model={model} text={LISTEN} name={`${copy} ${LISTEN}`} />
          </p>
        </>
      )}
    </Ready>
  );
}

function Snippet({ model, title, file }: { model: Console; title: string; file: GuideFile }) {
  return (
    <section aria-label={title}>
      <h4>
        {title} <code>{file.name}</code>{' '}
        <CopyButton model={model} text={file.text} name={`${model.words.copy} ${file.name}`} />
      </h4>
      <pre tabIndex={0} aria-label={title}>
        {file.text}
      </pre>
    </section>
  );
}
