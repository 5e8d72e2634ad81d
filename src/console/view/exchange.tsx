import type { Differences, SeenMessage } from '../../text/exchange/differences.js';
import type { NoScript, Script } from '../../text/shell/curl.js';
import { words } from '../words.js';
import { button, copyText, empty, faint, section, text } from './parts.js';
import { model } from './screen.js';

// Requests and responses: whole, compared, and as a command.

/** A request or a response: its first line, its headers, its body. */
export function message(title: string, shown: SeenMessage | null | undefined, line?: string) {
  const { detail, names } = words;
  if (shown == null) return empty(detail.notKept);
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
      {body === '' ? empty(detail.noBody) : text(`${title}: ${names.body}`, body)}
      {truncated === true ? <p class="problem">{detail.truncated(bytes)}</p> : null}
    </>
  );
  return section(title, content, <code>{line}</code>);
}

export function compared(other: string, { differences, always }: Differences) {
  const { detail, names } = words;
  return section(
    detail.differences(other),
    <>
      {differences.length === 0 ? empty(detail.same) : null}
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
      {always.length === 0 ? null : faint(detail.always(always.join(', ')))}
    </>,
  );
}

/** Copies what a terminal prints with `--curl`, or says why there is nothing; undefined while it is not known. */
export function curlButton(script: Script | NoScript | undefined) {
  const { detail } = words;
  const copy = async () => {
    if (script === undefined) return;
    if ('problem' in script) {
      model.say({ text: script.problem, hint: script.hint, isError: true });
      return;
    }
    await copyText(script.script);
    const { leftOut } = script;
    const hint = leftOut.length === 0 ? undefined : detail.leftOut(leftOut.join(', '));
    model.say({ text: words.copied, hint });
  };
  return button(detail.curl, () => void copy(), { shortcut: 'c', disabled: script === undefined });
}
