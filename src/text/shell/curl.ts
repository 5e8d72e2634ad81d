import type { Word } from './words.js';
import { plainText, printing, written } from './words.js';

/**
 * Where the body of a curl command comes from: a file as its name was given, the bytes themselves, or what is
 * piped into it.
 */
export type CurlBody = 'piped' | { readonly file: string } | { readonly bytes: Uint8Array };

/**
 * A request for `curlCommand`; its URL, as far as it is known, says which options curl needs. Without a body
 * none is sent.
 */
export interface CurlRequest {
  readonly method: string;
  readonly url: Word;
  readonly headers: readonly Word[];
  readonly body?: CurlBody | undefined;
}

/** A curl command for sh, bash and zsh that sends exactly these bytes. */
export function curlCommand({ method, url, headers, body }: CurlRequest): string {
  const shown = typeof url === 'string' ? url : url.shell;
  const target = shown.replace(/^https?:\/\/[^/?#]*/i, '');
  const inline = body !== undefined && typeof body === 'object' && 'bytes' in body ? body.bytes : undefined;
  const text = inline === undefined ? undefined : plainText(inline);
  const source = inline === undefined || text !== undefined ? '' : `${printing(inline)} | `;
  const lines: Word[][] = [
    [...(method === 'HEAD' ? ['-I'] : ['-X', method]), url],
    // curl rewrites such paths by default, and the signature covers the path as it is.
    ...(/\/\.{1,2}(?:[/?]|$)/.test(target) ? [['--path-as-is']] : []),
    ...(/[[\]{}]/.test(shown) ? [['--globoff']] : []),
    ...headers.map((header) => ['-H', header]),
    ...bodyWords(body, text),
  ];
  return `${source}curl ${lines.map((words) => words.map(written).join(' ')).join(' \\\n  ')}`;
}

function bodyWords(body: CurlBody | undefined, text: string | undefined): Word[][] {
  if (body === undefined) return [];
  if (typeof body === 'object' && 'file' in body) return [['--data-binary', `@${body.file}`]];
  // --data-raw, unlike --data-binary, does not read a file where the body begins with @.
  return text === undefined ? [['--data-binary', '@-']] : [['--data-raw', text]];
}
