/** Path prefix of the control API. */
export const CONTROL_PREFIX = '/_sandbox/';
/** Response header of the control API with the sandbox's version. A server without it is not a sandbox. */
export const SANDBOX_HEADER = 'x-pix-sandbox';
