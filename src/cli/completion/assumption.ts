import { assume, ASSUMPTION_IDS, describeAssumption, isAssumptionId } from '../../contract/assumptions.js';
import type { ValueSource } from './sources.js';

/** The id of an assumption, and after its `=` the possible values. */
export const assumption: ValueSource = (_, typed) => {
  const assumed = assume();
  const id = typed.slice(0, Math.max(typed.indexOf('='), 0));
  if (!isAssumptionId(id)) {
    return {
      candidates: ASSUMPTION_IDS.map((id) => {
        return { value: `${id}=`, description: describeAssumption(id, assumed).question };
      }),
    };
  }
  const { choices } = describeAssumption(id, assumed);
  const values = choices.includes(' | ') ? choices.split(' | ') : [];
  return { candidates: values.map((value) => ({ value: `${id}=${value}`, description: '' })) };
};
