/** The package's version, put in by the build. */
declare const __VERSION__: string;
/** In the console: the name of the file with the guides' programs. */
declare const __GUIDES__: string;
