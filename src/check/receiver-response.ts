import { escapeControlCharacters } from '../text/control-characters.js';
import { redactHeaders } from '../text/redaction.js';
import type { ReceiverResponse, DeliveryExchange } from './check.js';

const LONGEST_SHOWN = 100;
const FIRST_LINES = 4;
const LINE_LENGTH = 160;

export function formatBody({ body }: Pick<ReceiverResponse, 'body'>): string {
  return Buffer.from(body).toString('utf8');
}

/** Returns the first lines of a response or, for an HTML page, of the error message in it. */
export function formatFirstLines(response: Pick<ReceiverResponse, 'body'>): string {
  const text = formatBody(response);
  const begin = ['<pre', '<title'].map((tag) => text.indexOf(tag)).find((at) => at >= 0) ?? 0;
  const plain = text
    .slice(begin)
    .replaceAll(/<[^<>]{0,500}>/g, '\n')
    .replaceAll('&nbsp;', ' ');
  const lines = escapeControlCharacters(plain)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line));
  return lines.slice(0, FIRST_LINES).join(' | ');
}

/** Formats a request and its response as lines, with secrets in headers redacted. */
export function formatExchange({ method, url, headers, body, response }: DeliveryExchange): string[] {
  return [
    `Request: ${method} ${url}`,
    ...headerLines(headers),
    Buffer.from(body).toString('utf8'),
    `Response: ${response.status ?? response.error}`,
    ...headerLines(response.headers),
    ...(response.body.length === 0 ? [] : [escapeControlCharacters(formatBody(response))]),
  ];
}

function headerLines(headers: readonly (readonly [name: string, value: string])[]): string[] {
  return redactHeaders(headers).map(([name, value]) => `${name}: ${value}`);
}

export function toSingleLine(text: string): string {
  const line = escapeControlCharacters(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN - 1)}…` : line;
}

export function isAccepted({ status }: Pick<ReceiverResponse, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function isRefused({ status }: ReceiverResponse): boolean {
  return status !== null && status >= 400 && status < 500;
}

export function isRedirect({ status }: Pick<ReceiverResponse, 'status'>): boolean {
  return status !== null && status >= 300 && status < 400;
}

export function isTimeout({ error }: Pick<ReceiverResponse, 'error'>): boolean {
  return error?.startsWith('TIMEOUT') === true;
}

/** Formats a response, e.g. `400 "Invalid signature."` */
export function formatResponse({ status, error, body }: Omit<ReceiverResponse, 'headers' | 'ms'>): string {
  if (status === null) return `no response (${error})`;
  const text = toSingleLine(Buffer.from(body).toString('utf8'));
  return text === '' ? String(status) : `${status} "${text}"`;
}

/** Formats responses, listing equal ones once. */
export function formatResponses(responses: readonly ReceiverResponse[]): string {
  return [...new Set(responses.map(formatResponse))].join(', ');
}

export function getHeader(
  { headers }: Pick<ReceiverResponse, 'headers'>,
  wanted: string,
): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}
