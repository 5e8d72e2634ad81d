import type { ExchangeDifferences, ObservedMessage } from '../../text/exchange/differences.js';
import type { ScriptProblem, ShellScript } from '../../text/shell/curl.js';
import { consoleTexts } from '../words.js';
import { renderButton, copyText, renderEmpty, renderFaint, renderSection, renderText } from './parts.js';
import { model } from './screen.js';

// Renders requests and responses: complete, compared, or as a command.

/** Renders a request or response: first line, headers and body. */
export function renderMessage(title: string, shown: ObservedMessage | null | undefined, line?: string) {
  const { detail, names } = consoleTexts;
  if (shown == null) return renderEmpty(detail.notStored);
  const { headers, body = shown.body_base64 ?? '', body_bytes: bytes = body.length, truncated } = shown;
  const content = (
    <>
      <details>
        <summary>
          {detail.headers} ({headers.length})
        </summary>
        <table class="headers">
          <tbody>
            {headers.map(([name, value], index) => (
              <tr key={index}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {body === '' ? renderEmpty(detail.noBody) : renderText(`${title}: ${names.body}`, body)}
      {truncated === true ? <p class="problem">{detail.truncated(bytes)}</p> : null}
    </>
  );
  return renderSection(title, content, <code>{line}</code>);
}

export function renderComparison(other: string, { differences, always }: ExchangeDifferences) {
  const { detail, names } = consoleTexts;
  return renderSection(
    detail.differences(other),
    <>
      {differences.length === 0 ? renderEmpty(detail.same) : null}
      <table class="list differences">
        <tbody>
          {differences.map(({ of, part, name, from, to }, index) => (
            <tr key={index}>
              <th scope="row">
                {`${of === 'request' ? detail.request : detail.response}: ${names[part]} ${name}`.trimEnd()}
              </th>
              <td class="bad">{from ?? detail.nothing}</td>
              <td class="good">{to ?? detail.nothing}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {always.length === 0 ? null : renderFaint(detail.always(always.join(', ')))}
    </>,
  );
}

/** Copies the output of `--curl`, or explains why none is available. Disabled while `script` is unknown. */
export function renderCurlButton(script: ShellScript | ScriptProblem | undefined, kind?: 'main') {
  const { detail } = consoleTexts;
  const copy = async () => {
    if (script === undefined) return;
    if ('problem' in script) {
      model.notify({ text: script.problem, hint: script.hint, isError: true });
      return;
    }
    await copyText(script.script);
    const { leftOut } = script;
    const hint = leftOut.length === 0 ? undefined : detail.leftOut(leftOut.join(', '));
    model.notify({ text: consoleTexts.copied, hint });
  };
  return renderButton(detail.curl, () => void copy(), {
    kind,
    shortcut: 'c',
    disabled: script === undefined,
  });
}
