/** Something from elsewhere that could not be had here, which says nothing about the package. */
export class Missing extends Error {}

/**
 * What npm said that it failed with, such as `ENOTFOUND`; the whole message where it gave no code.
 * @param {Error} error
 */
export function npmCode({ message }) {
  return /^npm error code (\S+)$/m.exec(message)?.[1] ?? message;
}
