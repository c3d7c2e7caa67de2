export { type LocalMountOptions, localMount } from './local-mount.js';
