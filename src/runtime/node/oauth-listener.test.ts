import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listenForRedirect } from './oauth-listener.js';

async function listen(port = 0) {
  const listener = await listenForRedirect(port);
  onTestFinished(() => listener.close());
  return listener;
}

test('gives what the redirect carries, once, and shows a page that says so', async () => {
  const { redirectUri, waitFor } = await listen();
  expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const answer = waitFor('s1');
  const page = await fetch(`${redirectUri}?code=c&state=s1&iss=https%3A%2F%2Fas.example`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('You can close this page');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(Object.fromEntries(await answer)).toEqual({ code: 'c', state: 's1', iss: 'https://as.example' });
  expect((await fetch(`${redirectUri}?code=other&state=s1`)).status, 'a second time').toBe(400);
});

test('an answer that is not ours is refused, and ours is still waited for', async () => {
  const { redirectUri, waitFor } = await listen();
  const answer = waitFor('right');
  for (const query of ['?code=c&state=wrong', '?code=c', '', '?state=']) {
    expect((await fetch(`${redirectUri}${query}`)).status).toBe(400);
  }
  expect((await fetch(redirectUri.replace('/callback', '/'))).status).toBe(404);
  expect((await fetch(`${redirectUri}?code=c&state=right`, { method: 'POST' })).status).toBe(404);
  await fetch(`${redirectUri}?error=access_denied&state=right`).then(async (page) => {
    expect(await page.text()).toContain('has not been let in');
  });
  expect((await answer).get('error')).toBe('access_denied');
});

test('nothing of the request is in the page', async () => {
  const { redirectUri } = await listen();
  const page = await fetch(`${redirectUri}?state=%3Cscript%3Ealert(1)%3C%2Fscript%3E`);
  expect(await page.text()).not.toContain('script');
});

test('a port that is taken says which field to change', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(listenForRedirect(port)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(String(port)),
    hint: expect.stringContaining('oauth.redirectPort'),
  });
});
