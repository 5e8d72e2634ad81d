import { configSchema } from '../../../config/json-schema.js';
import { settingsOrRefuse } from '../../program/configured-options.js';
import type { BodyOf } from '../../program/declaration.js';
import type { config } from './command.js';
import { settingsText, settingView } from './text.js';

/** `sandbox config`: every setting, its value and its source; with `--schema`, the JSON Schema of the file instead. */
export const showConfig: BodyOf<typeof config> = async ({ io, options }) => {
  if (options.schema) {
    const schema = configSchema();
    io.emit(schema);
    io.say(JSON.stringify(schema, null, 2));
    return;
  }
  const { values, files } = settingsOrRefuse(options, io);
  io.emit({
    files: files.map(({ from, path, isThere }) => ({ from, path, exists: isThere })),
    settings: values.map(settingView),
  });
  io.say(settingsText(io, values, files));
};
