/** Path prefix of the control API. */
export const CONTROL_PREFIX = '/_sandbox/';
/**
 * Control API response header with the sandbox's version. A server that omits the header is not a sandbox.
 */
export const SANDBOX_HEADER = 'x-pix-sandbox';
