/** Version of the package, inserted by the build. */
declare const __VERSION__: string;
/** Name of the console's JSON file with the guide programs. */
declare const __GUIDES__: string;
