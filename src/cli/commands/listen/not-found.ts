/** What routers write into the fields of a 404 that nobody wrote a handler for. */
const ROUTER_TEXTS = [
  /^Not Found$/,
  /^No message available$/,
  /^(?:Cannot POST |Route POST:)\//,
  // A time, the URL of a problem type, the id of a trace.
  /^\d{4}-\d\d-\d\dT/,
  /^https?:\/\//,
  /^[\da-f:-]{16,}$/i,
];
const PLAIN_TEXT = /^(?:404:? )?(?:page )?not found[.!]?$/i;

/**
 * Whether the body of a 404 is the default page of a router, so that no route matched: empty, HTML, or JSON and texts that
 * say nothing but that, or name the path. Anything else was written by a handler.
 */
export function isRouterNotFound(body: string, path: string): boolean {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return true;
  const json = jsonObject(text);
  if (json === undefined) return PLAIN_TEXT.test(text) || namesPath(text, path);
  const texts = textsIn(json);
  return (
    texts.length > 0 &&
    texts.every((one) => ROUTER_TEXTS.some((known) => known.test(one)) || namesPath(one, path))
  );
}

/** As in `No route matches [POST] "/hook"` and `No static resource hook.` */
function namesPath(text: string, path: string): boolean {
  if (text === path) return true;
  return (
    path !== '/' &&
    [path, `route ${path.slice(1)}`, `resource ${path.slice(1)}`].some((name) => text.includes(name))
  );
}

function jsonObject(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    // It is cut off after some kilobytes; no router writes as much.
    return { text };
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
