/** Where pay pages stand, and what they may do there. */
export interface PayPolicy {
  /** Whether other machines reach them: then an address needs its token. */
  readonly isExposed: boolean;
  /** Whether whoever opens a page may decide what happens to its charge. */
  readonly hasButtons: boolean;
  /** Whether the console is at the same origin. */
  readonly hasConsole: boolean;
  /** The origin where other machines reach these pages, if it is not the one that they were asked at. */
  readonly elsewhere?: (() => string | undefined) | undefined;
}
