export * from './exact.js';
