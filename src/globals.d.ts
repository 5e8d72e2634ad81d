/** Package version, inserted by the build. */
declare const __VERSION__: string;
/** URL of the bug tracker in package.json, inserted by the build; empty unless the package was released. */
declare const __BUGS_URL__: string;
/** Name of the console's JSON file with the guide programs, inserted by the build. */
declare const __GUIDES__: string;
