import { declareCommand } from '../program/declaration.js';
import { defineFlag, defineText } from '../program/options.js';
import { defineSettings } from '../program/setting-options.js';

export const mcpDeclaration = declareCommand({
  name: 'mcp',
  summary: 'serve tools for a coding agent over stdio (Model Context Protocol)',
  description:
    'Finds this project’s sandbox, or starts one that ends with stdin. The tools run the commands of this ' +
    'program. check_handler and explore_suite run only commands that are set here or in ' +
    'sandbox.config.json, and only against this machine; no argument of a tool is a command, a path or a URL. ' +
    'Stdout contains only the protocol.',
  options: {
    readOnly: defineFlag('omit the tools that change the sandbox or run commands'),
    forwardTo: defineText('target', 'check_handler: your receiver on this machine, e.g. 3000/webhooks'),
    ...defineSettings('check.probe', 'check.order', 'check.restart', 'explore.command'),
  },
  examples: ['', '--read-only', '--forward-to 3000/webhooks --command ./test.sh'],
  exits: { 3: 'with --url: no sandbox is running at that URL' },
  related: ['check', 'explore', 'trace'],
});
