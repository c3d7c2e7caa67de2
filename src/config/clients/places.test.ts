import { expect, test } from 'vitest';
import { candidatesFor, type Machine, placeText, scopesOf } from './places.js';
import { CLIENTS, findClient } from './table/index.js';

const linux: Machine = { os: 'linux', environment: { HOME: '/home/ada' } };
const mac: Machine = { os: 'darwin', environment: { HOME: '/Users/ada' } };
const windows: Machine = {
  os: 'win32',
  environment: { USERPROFILE: 'C:\\Users\\ada', APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
};

test.each([
  { id: 'cursor', machine: linux, path: '/home/ada/.cursor/mcp.json' },
  { id: 'cursor', machine: windows, path: 'C:\\Users\\ada/.cursor/mcp.json' },
  { id: 'claude-code', machine: linux, path: '/home/ada/.claude.json' },
  {
    id: 'claude-desktop',
    machine: mac,
    path: '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
  },
  {
    id: 'claude-desktop',
    machine: windows,
    path: 'C:\\Users\\ada\\AppData\\Roaming/Claude/claude_desktop_config.json',
  },
  { id: 'vscode', machine: mac, path: '/Users/ada/Library/Application Support/Code/User/mcp.json' },
  { id: 'goose', machine: mac, path: '/Users/ada/.config/goose/config.yaml' },
  {
    id: 'goose',
    machine: windows,
    path: 'C:\\Users\\ada\\AppData\\Roaming/Block/goose/config/config.yaml',
  },
])('$id lies at $path', ({ id, machine, path }) => {
  expect(candidatesFor(findClient(id)!, 'user', machine)[0]).toBe(path);
});

test.each([
  { id: 'codex', environment: { CODEX_HOME: '/srv/codex', HOME: '/home/ada' }, path: '/srv/codex/config.toml' },
  { id: 'zed', environment: { XDG_CONFIG_HOME: '/etc/xdg', HOME: '/h' }, path: '/etc/xdg/zed/settings.json' },
  { id: 'zed', environment: { XDG_CONFIG_HOME: 'relative', HOME: '/h' }, path: '/h/.config/zed/settings.json' },
])('the environment moves $id to $path', ({ id, environment, path }) => {
  expect(candidatesFor(findClient(id)!, 'user', { os: 'linux', environment })[0]).toBe(path);
});

test('without a home there is no file of the user', () => {
  const machine: Machine = { os: 'linux', environment: {} };
  for (const client of CLIENTS) {
    expect(candidatesFor(client, 'user', machine), client.id).toEqual([]);
    if (scopesOf(client).includes('project')) expect(candidatesFor(client, 'project', machine)).not.toEqual([]);
  }
});

test('people read places as they write them', () => {
  expect(placeText(findClient('cursor')!, 'linux')).toBe('~/.cursor/mcp.json');
  expect(placeText(findClient('claude-desktop')!, 'win32')).toBe('%APPDATA%\\Claude\\claude_desktop_config.json');
});
