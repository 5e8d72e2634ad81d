import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import type { ControlRoute } from '../control/control.js';
import { documentedBody } from '../control/control.js';
import { CONTROL_OPERATIONS } from './control-operations.js';
import type { OpenApiDocument, Tag } from './document.js';
import { openApiDocument } from './document.js';
import { CONTROL_SCHEMAS } from './schemas.js';

const DESCRIPTION = `The side of the payer, the bank and the tester. It is the sandbox’s own: the service has \
nothing like it.

An id in a path, query or body may be the id, the code of a charge or withdrawal, the name of an application, \
or at least four hex digits that begin one id alone, such as \`1a2b\` or \`evt_1a2b\`; where several ids \
begin so, the refusal lists them. What deletes takes the whole id. An application may be named as \`app\` in \
the query or in the body. What receivers answered is text in \`body\` where it is UTF-8, else \
\`body_base64\`. Durations are written \`90s\`, \`5m\`, \`2h\`, \`1d\`, or combined \`1d12h\`. Unknown fields \
are refused as probable typos. Every response has the header \`${SANDBOX_HEADER}\`, with the sandbox’s \
version. A body has at most ${LIMITS.controlBodyBytes / 1024} KiB, a state \
${LIMITS.stateBodyBytes / 1024 / 1024} MiB.`;

/** Every route that takes an application refuses an unknown one. */
function unknownApp({ query }: ControlRoute): RefusalCode[] {
  return query !== undefined && 'app' in query.fields ? ['NOT_FOUND'] : [];
}

/** The document of the control API; `url` is the origin of the sandbox. */
export function controlDocument(
  prefix: string,
  routes: readonly ControlRoute[],
  url: string,
): OpenApiDocument {
  const operations = Object.entries(CONTROL_OPERATIONS).flatMap(([tag, described]) =>
    Object.entries(described).map(([name, doc]) => [
      name.replace(' ', ` ${prefix}`).replaceAll(/:(\w+)/g, '{$1}'),
      { ...doc, tag: tag as Tag },
    ]),
  );
  return openApiDocument({
    title: 'PIX sandbox: control API',
    description: DESCRIPTION,
    url,
    routes: routes.map((route) => ({
      ...route,
      body: documentedBody(route),
      path: prefix + route.path,
      isClosed: true,
      security: route.path === 'livez' ? [{}] : [{}, { controlToken: [] }],
      refusals: route.path === 'livez' ? [] : ['UNAUTHENTICATED', ...unknownApp(route)],
    })),
    operations: Object.fromEntries(operations),
    schemas: CONTROL_SCHEMAS,
    securitySchemes: {
      controlToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'Required where other machines can reach the sandbox; `start` prints it.',
      },
    },
  });
}
