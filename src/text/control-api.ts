/** The path prefix of the control API. */
export const CONTROL_PREFIX = '/_sandbox/';
/** Response header of the control API, with the sandbox's version: without it, the server is not a sandbox. */
export const SANDBOX_HEADER = 'x-pix-sandbox';
