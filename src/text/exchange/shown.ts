import type { SeenExchange, SeenMessage } from './differences.js';

/** A call as the control API shows it. */
interface ShownCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly request: SeenMessage | null;
  readonly response: SeenMessage | null;
}

/** An attempt as the control API shows it. */
interface ShownAttempt {
  readonly response_status: number | null;
  readonly error: string | null;
  readonly request_headers?: Readonly<Record<string, string>> | undefined;
  readonly response?: SeenMessage | null | undefined;
}

/** A call as it is compared. */
export function callExchange({ method, path, status, request, response }: ShownCall): SeenExchange {
  if (request === null) return { method, path, status, request: undefined, response: undefined };
  return { method, path, status, request, response };
}

/** An attempt as it is compared; every attempt of a delivery has the same body. */
export function attemptExchange({
  response_status: status,
  error,
  request_headers: headers,
  response,
}: ShownAttempt): SeenExchange {
  const request = headers === undefined ? undefined : { headers: Object.entries(headers) };
  return { method: 'POST', path: '', status, error, request, response };
}
