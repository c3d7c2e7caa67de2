import { generateCheck } from './engine.js';
import { type Generated, generateFor } from './generate.js';
import type { Survey } from './survey.js';

/** All that code generation takes, loaded in one piece when a judge has become warm. @returns as `generateFor` */
export function generateCode(survey: Survey, assertsFormats: boolean): Generated | undefined {
  return generateFor(survey, assertsFormats, generateCheck);
}
