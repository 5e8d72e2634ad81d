import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Document, Documents, Operation } from '../openapi/openapi-documents.js';
import { operationsOf, readDocuments } from '../openapi/openapi-documents.js';

/** A response as it was sent. */
export interface SeenAnswer {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly mediaType: string;
  /** The whole body. */
  readonly text: string;
}

/** A message of a stream as it went out. */
export interface SeenMessage {
  /** GET, if it is left out. */
  readonly method?: string;
  readonly target: string;
  /** That of server-sent events, if it is left out. */
  readonly mediaType?: string;
  readonly text: string;
}

interface Place {
  readonly operation: Operation;
  readonly name: keyof Documents;
  readonly document: Document;
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
}

/** Responses of faults, and of surfaces without such a route, may have any status: only their form is checked. */
const OF_NO_OPERATION =
  /^(?:This response was injected by a fault\.|The sandbox is closing\.|This path does not exist\.|There is no operation [A-Z]+ \/.*)$/;

/** Holds answers to what the documents say: operation, status, media type, error code and body. */
export class AnswerValidator {
  readonly #ajv: Ajv2020;
  readonly #places: readonly Place[];
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(documents: Documents) {
    this.#places = (['service', 'control'] as const).flatMap((name) => placesOf(name, documents[name]));
    this.#ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      allErrors: true,
      validateSchema: false,
      // Optimizing a schema takes as long as compiling it, and each is used a few times.
      code: { optimize: false },
    });
    for (const [name, document] of Object.entries(documents)) {
      this.#ajv.addSchema(document as Document, `${name}.json`);
    }
  }

  /** What is wrong with an answer; undefined when nothing is. */
  problemOf({ method, target, status, mediaType, text }: SeenAnswer): string | undefined {
    const path = pathOf(target);
    if (!/^\/(?:api|_sandbox)\//.test(path)) return undefined;
    const place = this.#placeOf(method, path);
    const where = `${method} ${place?.path ?? path} → ${status}`;
    const isError = status >= 400;
    if (place === undefined && !isError) return `${where}: no document has this operation.`;
    const body: unknown = JSON.parse(text);
    const pointer =
      place === undefined || (isError && isOfNoOperation(body)) ? ERROR : pointerOf(place, status, mediaType);
    if (pointer === undefined)
      return `${where} ${mediaType}: not documented; the body was ${text.slice(0, 300)}`;
    return this.#mismatch(where, pointer, body);
  }

  /** What is wrong with a message of a stream; undefined when nothing is. */
  problemOfMessage(seen: SeenMessage): string | undefined {
    const { method = 'GET', target, mediaType = 'text/event-stream', text } = seen;
    const path = pathOf(target);
    const place = this.#placeOf(method, path);
    if (place === undefined) return `${method} ${path}: no document has this stream.`;
    const pointer = pointerOf(place, 200, mediaType);
    if (pointer === undefined) return `${method} ${path}: is not documented as a stream.`;
    return this.#mismatch(`a message of ${method} ${path}`, `${pointer}/x-item-schema`, JSON.parse(text));
  }

  #placeOf(method: string, path: string): Place | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const here = this.#places.filter((place) => place.method === wanted && place.pattern.test(path));
    // Of `deliveries/wait` and `deliveries/{id}` the one without variables is meant.
    return here.find((place) => !place.path.includes('{')) ?? here[0];
  }

  #mismatch(where: string, pointer: string, value: unknown): string | undefined {
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: pointer });
    this.#compiled.set(pointer, validate);
    if (validate(value)) return undefined;
    const errors = this.#ajv.errorsText(validate.errors, { dataVar: 'body' });
    return `${where}: ${errors}\n${JSON.stringify(value).slice(0, 1_000)}`;
  }
}

const ERROR = 'service.json#/components/schemas/Error';

function placesOf(name: keyof Documents, document: Document): Place[] {
  return operationsOf(document).map(({ method, path, operation }) => {
    const pattern = new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return { name, document, method, path, operation, pattern };
  });
}

/** Where the schema of an answer stands, following the responses that are written once. */
function pointerOf(
  { name, document, method, path, operation }: Place,
  status: number,
  mediaType: string,
): string | undefined {
  const response = operation.responses[status];
  if (response === undefined) return undefined;
  const { $ref = `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}` } = response;
  const component = document.components.responses[response.$ref?.split('/').at(-1) ?? ''];
  if (!Object.hasOwn((component ?? response).content ?? {}, mediaType)) return undefined;
  return `${name}.json${$ref}/content/${escaped(mediaType)}/schema`;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function isOfNoOperation(body: unknown): boolean {
  const { error } = body as { readonly error?: { readonly message?: unknown } };
  return OF_NO_OPERATION.test(String(error?.message));
}

/** Without dot segments, as routers see it. */
function pathOf(target: string): string {
  return new URL(target.startsWith('/') ? `http://sandbox.localhost${target}` : target).pathname;
}

let shared: Promise<AnswerValidator> | undefined;

/** One for the whole process, of a sandbox where everything that can be demanded is. */
export function answerValidator(): Promise<AnswerValidator> {
  shared ??= readDocuments({ assume: { 'transactions.scope': 'withdrawals:read' } }).then(
    (documents) => new AnswerValidator(documents),
  );
  return shared;
}
