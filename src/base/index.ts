export * from './call.js';
export * from './cancel.js';
export * from './clock.js';
export * from './coalesce.js';
export * from './errors.js';
export * from './events.js';
export * from './json/index.js';
export * from './roll.js';
