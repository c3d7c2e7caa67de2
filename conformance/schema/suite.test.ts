import { afterAll, beforeAll, expect } from 'vitest';
import { prepareEngine } from '../../src/schema/index.js';
import { functionsMade } from './count-functions.js';
import { declareSuiteTests } from './suite-tests.js';

// From here on each judge generates code before its first check.
beforeAll(async () => expect(await prepareEngine()).toBe(true));

declareSuiteTests();

afterAll(() => expect(functionsMade()).toBeGreaterThan(100));
