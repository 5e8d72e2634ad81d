export { nullable } from '../../schema/json-schema.js';
export type { JsonSchema } from '../../schema/json-schema.js';
