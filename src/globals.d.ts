/** Package version, inserted by the build. */
declare const __VERSION__: string;
/** Name of the console's JSON file with the guide programs, inserted by the build. */
declare const __GUIDES__: string;
