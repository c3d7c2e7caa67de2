import { afterAll, expect } from 'vitest';
import { functionsMade } from './count-functions.js';
import { declareSuiteTests } from './suite-tests.js';

// Without `prepareEngine` a judge interprets its rules until it is warm, which it never is after a case or two.
declareSuiteTests();

// Some judge has many cases; the generator is tried out once it is loaded.
afterAll(() => expect(functionsMade()).toBeLessThan(10));
